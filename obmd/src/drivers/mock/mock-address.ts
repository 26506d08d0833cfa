import type { BmcFault } from '../bmc-contract.ts';

/** What can be asked of a BMC, as the fields of an address call it. */
const mockCalls = [
  'identify',
  'power_status',
  'power_on',
  'power_off',
  'power_cycle',
  'shutdown',
  'boot_device',
  'console',
] as const;
export type MockCall = (typeof mockCalls)[number];

const faults = ['unreachable', 'credentials', 'unsupported', 'failed'] as const satisfies readonly BmcFault[];

/** What an address says: which machine it is, and how its BMC behaves. */
export interface MockAddress {
  readonly machine: string;
  /** Every call takes this long. */
  readonly delayMs: number;
  readonly failing: ReadonlySet<string>;
  /** How those fail. */
  readonly fault: BmcFault;
  /** These never come back. */
  readonly hanging: ReadonlySet<string>;
  /** The console ends by itself after this time; null: it does not. */
  readonly dropConsoleMs: number | null;
  /** A line of console every so often, while the machine is on. */
  readonly tickMs: number;
  /** The console says this much beside; 0: nothing. */
  readonly streamBytesPerSecond: number;
}

const number = '\\d{1,9}';
const call = `(?:${mockCalls.join('|')}|all)`;
const calls = `${call}(?:,${call})*`;
const fields: Readonly<Record<string, string>> = {
  delay_ms: number,
  fail: calls,
  fault: `(?:${faults.join('|')})`,
  hang: calls,
  drop_console_ms: number,
  tick_ms: `[1-9]\\d{0,8}`,
  stream_bytes_s: number,
};
const field = `(?:${Object.entries(fields)
  .map(([name, value]) => `${name}=${value}`)
  .join('|')})`;

/** Any word without a scheme, or the whole grammar. */
export const addressPattern = `^(?:(?!\\w+://)[^\\s?&\\u0000-\\u001f\\u007f-\\u009f]+|mock://[\\w.:-]+(?:\\?${field}(?:&${field})*)?)$`;
export const addressRule =
  'any word, such as "10.0.0.5", or "mock://NAME?FIELD=VALUE&FIELD=VALUE" with the fields ' +
  `${Object.keys(fields).join(', ')} (see docs/obmd/mock.md)`;

/** Reads an address that has passed the pattern. */
export const parseAddress = (addr: string): MockAddress => {
  const [, name, query] = /^mock:\/\/([^?]+)\??(.*)$/.exec(addr) ?? [];
  const said = new URLSearchParams(query ?? '');
  const numberOf = (key: string): number | null => {
    const text = said.get(key);
    return text === null ? null : Number(text);
  };
  return {
    machine: name ?? addr,
    delayMs: numberOf('delay_ms') ?? 0,
    failing: new Set(said.get('fail')?.split(',')),
    fault: faults.find((one) => one === said.get('fault')) ?? 'failed',
    hanging: new Set(said.get('hang')?.split(',')),
    dropConsoleMs: numberOf('drop_console_ms'),
    tickMs: numberOf('tick_ms') ?? 1_000,
    streamBytesPerSecond: numberOf('stream_bytes_s') ?? 0,
  };
};
