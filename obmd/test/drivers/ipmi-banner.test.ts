import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { IpmiConsole } from '../../src/drivers/ipmi/ipmi-console.ts';

const banner = '[SOL Session operational';

/** What is shown of this, when ipmitool prints it letter by letter. */
const shownOf = (printed: string): string => {
  const stdout = new PassThrough();
  const tool = Object.assign(new EventEmitter(), { stdout, stdin: new PassThrough() });
  const grace = { whenLetGo: 1, whenTaken: 1 };
  const console = new IpmiConsole(tool as unknown as ChildProcessWithoutNullStreams, () => '', grace);
  for (const letter of printed) stdout.emit('data', Buffer.from(letter));
  return String(console.read() ?? '');
};

describe('the first line of ipmitool', () => {
  it.each([
    ['is not shown', `${banner}.  Use ~? for help]\r\nlogin: `, 'login: '],
    ['is shown if it is the machine that says it', `[SOL of another kind\nlogin: `, '[SOL of another kind\nlogin: '],
    ['is not waited for without end', `${banner}${'x'.repeat(5_000)}`, `${banner}${'x'.repeat(5_000)}`],
  ])('%s', (_, printed, shown) => {
    expect(shownOf(printed)).toBe(shown);
  });
});
