import { nameOrNull } from '../switch-contract.ts';
import { dellPortName } from './dell-names.ts';
import { UnusableAnswer } from './config-sections.ts';
import { classify, type Classified, commonLines, beginningWith, type KnownLines } from './known-lines.ts';
import { isLogLine } from './switch-log-lines.ts';
import { mirrorsIn, type Mirrors } from './port-mirrors.ts';

/*
 * The running configuration of Dell's older switches. Its blocks end with `exit` or `!`, and their lines may stand at
 * the first column, so whatever falls into a block is taken for a line of it.
 */

/** What both families have on a port that is understood; `show interfaces switchport` shows what it carries. */
const known: KnownLines = {
  read: /^(?:no )?(?:shutdown|switchport (?:mode (?:access|trunk|general)|access vlan \S+|trunk (?:native|allowed) vlan .+|general (?:allowed|pvid|ingress-filtering|acceptable-frame-type)\b.*))$/,
  plain: [
    ...commonLines,
    beginningWith(
      'back-pressure|green-mode|green-ethernet|rate-limit|traffic-shape|classofservice|cos-queue|port jumbo-frame|sflow|ip address|rate-interval',
    ),
    /^dot1x port-control force-authorized$/,
    /^authentication port-control force-authorized$/,
  ],
};

/** What the running configuration tells of the ports beside their VLANs. */
export interface DellConfig {
  /** Of every port that has a block. */
  readonly blocks: ReadonlyMap<string, Classified>;
  readonly mirrors: Mirrors;
}

export const dellConfigIn = (text: string): DellConfig => {
  const blocks = new Map<string, string[]>();
  const monitors: string[] = [];
  let block: string[] | null = null;
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (isLogLine(line)) throw new UnusableAnswer(line);
    const [, name] = /^interface (.+)$/.exec(line) ?? [];
    const port = name === undefined ? null : nameOrNull(longName(name));
    if (name !== undefined) {
      block = port === null ? null : (blocks.get(port) ?? []);
      if (port !== null && block !== null) blocks.set(port, block);
    } else if (line === 'exit' || line.startsWith('!')) block = null;
    else if (line.startsWith('monitor session ')) monitors.push(line);
    else if (line !== '') block?.push(line);
  }
  return {
    blocks: new Map([...blocks].map(([port, lines]) => [port, classify(sectionOf(port, lines), known)])),
    mirrors: mirrorsIn(monitors.join('\n'), longName),
  };
};

const sectionOf = (name: string, lines: readonly string[]) => ({
  name,
  lines: lines.map((text) => ({ text, isNested: false })),
});

/** The configuration has the long names too. */
const longName = (name: string) => dellPortName(name.replace(/^(gi|te)(?:gabitethernet|ngigabitethernet)/i, '$1'));
