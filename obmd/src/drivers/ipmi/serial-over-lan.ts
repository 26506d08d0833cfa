import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { firstOf, onAbort } from '@corral/base/abort';
import { BmcError } from '../bmc-contract.ts';
import { IpmiConsole } from './ipmi-console.ts';
import { cannotStart, endedBy, faultFrom, stillWanted } from './ipmi-faults.ts';
import type { IpmiTarget } from './ipmi-target.ts';
import { runTool, startTool } from './ipmitool.ts';
import { escapeCharacter } from './escape-input.ts';

const grace = { whenLetGo: 3_000, whenTaken: 1_000, whenOpening: 300 };

/** The holder of the console of a BMC, or the next one: another client can take it over. */
interface Holder {
  /** Resolves when nothing of theirs is left that could close the session of another. */
  takeAway(): Promise<void>;
}

// A BMC has one session for its console, and any session that ends closes it, even if another client has it by then.
// So of the sessions of this process the next begins when the last is gone.
const holders = new Map<string, Holder>();

/** Opens the console by serial over LAN; its current holder loses it. */
export const openSol = (target: IpmiTarget, signal: AbortSignal): Promise<Duplex> => {
  if (signal.aborted) return Promise.reject(endedBy(signal));
  const key = `${target.addr} ${target.port}`;
  const before = holders.get(key);
  const taken = new AbortController();
  const opening = openAfter(before, target, signal, taken.signal);
  const gone = opening.then(
    (console) => new Promise<void>((resolve) => console.once('close', resolve)),
    () => undefined,
  );
  const mine: Holder = {
    takeAway: () => {
      taken.abort(new BmcError('failed', 'another client opened the console; open it again to take it back'));
      return gone;
    },
  };
  holders.set(key, mine);
  void gone.then(() => {
    if (holders.get(key) === mine) holders.delete(key);
  });
  return opening;
};

const openAfter = async (
  before: Holder | undefined,
  target: IpmiTarget,
  signal: AbortSignal,
  taken: AbortSignal,
): Promise<IpmiConsole> => {
  await before?.takeAway();
  const { signal: either, release } = firstOf(signal, taken);
  const console = await opened(target, either).finally(release);
  onAbort(taken, () => console.takeAway(endedBy(taken)));
  return console;
};

const opened = async (target: IpmiTarget, signal: AbortSignal): Promise<IpmiConsole> => {
  await runTool(target, ['sol', 'deactivate'], signal).catch((error: unknown) => {
    // That there is nothing to deactivate is said as a failure. What the BMC itself refuses is seen next.
    if (!(error instanceof BmcError) || error.fault === 'unreachable' || error.fault === 'credentials') throw error;
  });
  stillWanted(signal);
  const tool = startTool(target, ['-e', escapeCharacter, 'sol', 'activate']);
  let complaint = '';
  tool.stderr.on('data', (bytes: Buffer) => (complaint = (complaint + bytes.toString('latin1')).slice(-4_000)));
  tool.stdin.on('error', () => undefined);
  await activated(tool, () => complaint, signal);
  return new IpmiConsole(tool, () => complaint, grace);
};

/**
 * Waits until the session is there. The line that says so is kept in a buffer until the machine says something; that
 * there is no terminal to put into raw mode is said at once, and right after it.
 */
const activated = async (
  tool: ChildProcessWithoutNullStreams,
  complaint: () => string,
  signal: AbortSignal,
): Promise<void> => {
  const closed = new Promise<void>((resolve) => tool.once('close', () => resolve()));
  let kill: NodeJS.Timeout | undefined;
  const letGo = () => {
    tool.stdin.end();
    kill = setTimeout(() => tool.kill('SIGKILL'), grace.whenOpening);
  };
  signal.addEventListener('abort', letGo, { once: true });
  let look = (): void => undefined;
  // It has not closed before all that it printed is read.
  const drain = () => void tool.stdout.off('readable', look).resume();
  tool.once('exit', drain);
  try {
    const isActive = await new Promise<boolean>((resolve, reject) => {
      look = () => {
        if (/^tcgetattr:/m.test(complaint()) || tool.stdout.readableLength > 0) resolve(true);
      };
      tool.once('error', (error) => reject(cannotStart(error)));
      tool.stderr.on('data', look);
      tool.stdout.on('readable', look);
      void closed.then(() => resolve(false));
    });
    if (isActive && !signal.aborted) return;
    await closed;
    throw signal.aborted ? endedBy(signal) : faultFrom('sol activate', complaint());
  } finally {
    clearTimeout(kill);
    signal.removeEventListener('abort', letGo);
    tool.off('exit', drain);
    tool.stderr.off('data', look);
    tool.stdout.off('readable', look);
  }
};
