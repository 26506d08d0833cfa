import { AllowList, entryRule } from '../http/allow-list.ts';
import { Outbound } from '../http/outbound.ts';
import type { SettingReader } from './reader.ts';

/** Reads a setting that lists where connections may go. */
export const outboundFrom = <Key extends string>(read: SettingReader<Key>, key: Key): Outbound => {
  const wrong = (entry: string): void => read.wrong(key, `${entryRule}; ${JSON.stringify(entry)} is none of them`);
  return new Outbound({ allow: AllowList.from(read.list(key), wrong), setting: key });
};
