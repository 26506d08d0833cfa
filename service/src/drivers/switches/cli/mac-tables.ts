import { macAddress } from '../../../schema/mac-address.ts';
import { nameOrNull, type Neighbour, type Refusal } from '../switch-contract.ts';
import { ask, type CliDevice, untilUsable } from './cli-device.ts';
import { UnusableAnswer } from './config-sections.ts';
import type { MacTable } from './dialect.ts';
import { isLogLine } from './switch-log-lines.ts';

/** The addresses that a device has learned; refused if it knows none of the ways to ask. */
export const neighboursOf = async (
  device: CliDevice,
  table: MacTable,
  signal: AbortSignal,
): Promise<readonly Neighbour[] | Refusal> => {
  const refusals: string[] = [];
  for (const question of table.ask) {
    const answer = await untilUsable(signal, async () => {
      const said = await ask(device, [question], signal);
      return 'words' in said ? said : table.parse(said.join('\n'));
    });
    if (!('words' in answer)) return answer.map((one) => ({ ...one, port: portOn(device, one.port) }));
    refusals.push(answer.words);
  }
  return { refused: refusals[0] ?? 'the switch cannot be asked for the addresses that it has learned' };
};

/** The name of a port as it is registered; that of anything else as it is written. */
const portOn = ({ dialect }: CliDevice, name: string): string => nameOrNull(dialect.portName(name)) ?? name;

/** How a table of addresses is printed. */
interface TableForm {
  /** The line with the names of the columns. */
  readonly heading: RegExp;
  /** A line with an address: groups `vlan`, `mac`, `type`, `port`. */
  readonly row: RegExp;
  /** What else stands below a heading. */
  readonly around?: readonly RegExp[];
}

const rules = /^[\s+|=-]*$/;
const address = /\b[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}\b|\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b/i;
/** Tables of groups are not about who is behind a port. */
const groups = /^\s*multicast (?:entries|mac address table)/i;

/**
 * The addresses of a table that were learned. Below the first heading every line has to be understood: one that a
 * message was written into is an address that would be missing.
 */
const learnedIn = (text: string, { heading, row, around = [] }: TableForm): readonly Neighbour[] => {
  const learned: Neighbour[] = [];
  let at: 'before' | 'table' | 'groups' = 'before';
  for (const line of text.split('\n')) {
    if (groups.test(line)) at = 'groups';
    else if (/^\s*unicast entries/i.test(line)) at = 'before';
    else if (at === 'groups' || rules.test(line) || isLogLine(line)) continue;
    else if (heading.test(line)) at = 'table';
    else if (at === 'before') {
      if (address.test(line)) throw new UnusableAnswer(line);
    } else if (!around.some((pattern) => pattern.test(line))) learned.push(...learnedBy(row.exec(line)?.groups, line));
  }
  if (at === 'before') throw new UnusableAnswer(text.trim() === '' ? 'nothing' : text);
  return learned;
};

const learnedBy = (found: Readonly<Record<string, string>> | undefined, line: string): readonly Neighbour[] => {
  const mac = macAddress(found?.['mac'] ?? '');
  const port = found?.['port'];
  if (mac === null || port === undefined) throw new UnusableAnswer(line);
  if (!/^dynamic$/i.test(found?.['type'] ?? '')) return [];
  const vlan = Number(found?.['vlan']);
  return [{ port, mac, vlan: Number.isInteger(vlan) && vlan > 0 ? vlan : null }];
};

const dotted = '(?<mac>[0-9a-f]{4}\\.[0-9a-f]{4}\\.[0-9a-f]{4})';
const table = (form: TableForm, ...more: readonly string[]): MacTable => ({
  ask: ['show mac address-table', ...more],
  parse: (answer) => learnedIn(answer, form),
});

/**
 * Catalysts with a table of four columns; those with a chassis have more between the type and the port, and a star
 * before the VLAN. Old ones know the command with another hyphen.
 */
export const iosMacTable = table(
  {
    heading: /^\s*vlan\s+mac address\s+type\s.*ports?\s*$/i,
    row: new RegExp(
      `^[* ]*\\s*(?<vlan>\\d+|All|N/A|---)\\s+${dotted}\\s+(?<type>\\S+)\\s+(?:\\S.*\\s)?(?<port>\\S+)\\s*$`,
      'i',
    ),
    around: [/^\s*total\b.*\d/i, /^\s*mac address table\s*$/i, /^Displaying entries from .*:$/i],
  },
  'show mac-address-table',
);

/** Behind the port stands in brackets what kind of address it is, or where a tunnel ends. */
export const nxosMacTable = table({
  heading: /^\s*vlan(?:\/BD)?\s+mac address\s+type\s.*ports/i,
  row: new RegExp(
    `^\\s*(?:[*+~A-Z]|\\([A-Z]+\\))?\\s*(?<vlan>\\d+|-)\\s+${dotted}\\s+(?<type>\\S+)\\s+\\S+\\s+\\S+\\s+\\S+\\s+(?<port>\\S.*?)(?:\\((?:R|\\d.*)\\))?\\s*$`,
    'i',
  ),
});

/** How often an address moved stands behind its port. */
export const eosMacTable = table({
  heading: /^\s*vlan\s+mac address\s+type\s+ports/i,
  row: new RegExp(`^\\s*(?<vlan>\\d+)\\s+${dotted}\\s+(?<type>\\S+)\\s+(?<port>\\S+)(?:\\s+\\d+\\s+\\S.*)?\\s*$`, 'i'),
  around: [/^\s*total mac addresses for this criterion: \d+/i],
});

/** vde_switch forgets after five minutes, as others do. */
export const vdeHashTable: MacTable = {
  ask: ['hash/print'],
  parse: (answer) => {
    const lines = answer.split('\n').filter((line) => line.trim() !== '');
    if (!lines.includes('1000 Success')) throw new UnusableAnswer(lines.at(-1) ?? 'nothing');
    return lines
      .filter((line) => !/^(?:0000 DATA END WITH '\.'|\.|1000 Success)$/.test(line))
      .flatMap((line) => {
        const found = /^Hash: \d+ Addr: (?<mac>[0-9a-f:]{17}) VLAN (?<vlan>\d+) to port: 0*(?<port>\d+) /i.exec(line);
        return learnedBy(found === null ? undefined : { ...found.groups, type: 'dynamic' }, line);
      });
  },
};
