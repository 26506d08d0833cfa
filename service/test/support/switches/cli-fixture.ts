import type { ScriptedSwitch } from '@corral/lab';
import { afterEach } from 'vitest';
import type { Dialect } from '../../../src/drivers/switches/cli/dialect.ts';
import { cliSwitch } from '../../../src/drivers/switches/cli/cli-driver.ts';
import type { SwitchSession } from '../../../src/drivers/switches/switch-contract.ts';

const undo: (() => unknown)[] = [];

/** Long enough for anything that works. */
export const amply = (): AbortSignal => AbortSignal.timeout(30_000);

/** A scripted switch, and the way to open sessions on it. */
interface CliTrial {
  readonly device: ScriptedSwitch;
  /** With these fields instead of those that reach it. */
  readonly open: (more?: Readonly<Record<string, unknown>>) => Promise<SwitchSession>;
}

/** Both are over when the test is. */
export const cliTrial = async (dialect: Dialect, start: Promise<ScriptedSwitch>): Promise<CliTrial> => {
  const device = await start;
  undo.push(() => device.stop());
  return {
    device,
    open: async (more = {}) => {
      const session = await cliSwitch(dialect).open({ label: 'sw', config: { ...device.fields, ...more } }, amply());
      undo.push(() => session.close());
      return session;
    },
  };
};

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** What the device is told while this is done, without what only looks. */
export const toldDuring = async (device: ScriptedSwitch, work: () => Promise<unknown>): Promise<readonly string[]> => {
  const before = device.console.transcript.length;
  await work();
  return device.console.transcript.slice(before).filter((line) => !line.startsWith('show '));
};
