import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { resetSocket } from '@corral/base/net/reset-socket';
import { oneLine } from '../device-text.ts';
import type { Refusal } from '../switch-contract.ts';
import { JsonStream } from './json-stream.ts';
import type { OvsTarget } from './ovs-fields.ts';
import { isRecord } from './ovsdb.ts';

/**
 * Where ovs-vswitchd takes commands (`ovs-appctl`): the socket that is named, or the one beside the database, whose
 * name has the number of its process.
 */
export const controlSocketOf = async ({
  address,
  control,
}: Pick<OvsTarget, 'address' | 'control'>): Promise<string | Refusal> => {
  if (control !== undefined) return control;
  if (address.kind !== 'unix') {
    return {
      refused: `the database of an Open vSwitch does not have the addresses that it has learned; only ovs-vswitchd tells, on its own machine: run Corral there and set "unixctl" to its control socket`,
    };
  }
  const directory = dirname(address.path);
  const file = join(directory, 'ovs-vswitchd.pid');
  const pid = await readFile(file, 'utf8').catch(() => '');
  return /^\d{1,10}\s*$/.test(pid)
    ? join(directory, `ovs-vswitchd.${pid.trim()}.ctl`)
    : { refused: `${file} does not name the control socket of ovs-vswitchd; set "unixctl" to its path` };
};

/** Gives one command to a control socket, and has its answer: JSON-RPC 1.0, a connection for each command. */
export const askControl = (
  path: string,
  method: string,
  params: readonly string[],
  signal: AbortSignal,
): Promise<string> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect(path);
    const stream = new JsonStream();
    const end = (settle: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      resetSocket(socket);
      socket.destroy();
      settle();
    };
    const fail = (why: string, cause?: unknown): void =>
      end(() => reject(new Error(`ovs-vswitchd at ${path} ${why}`, { cause })));
    const onAbort = (): void => fail('did not answer in time', signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('connect', () => socket.write(JSON.stringify({ id: 0, method, params })));
    socket.on('error', (error) => fail(`cannot be asked: ${error.message}`, error));
    socket.on('close', () => fail('closed the connection before it answered'));
    socket.on('data', (chunk) => {
      try {
        const [answer] = stream.push(chunk);
        if (answer === undefined) return;
        if (isRecord(answer) && typeof answer['result'] === 'string') {
          const { result } = answer;
          end(() => resolve(result));
        } else fail(`answers "${oneLine(JSON.stringify(isRecord(answer) ? answer['error'] : answer))}"`);
      } catch (error) {
        fail('answers something that is not JSON', error);
      }
    });
  });
