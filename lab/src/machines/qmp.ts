import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A line to a running QEMU over which it takes orders. */
export interface Qmp {
  /** Gives one order; throws if QEMU refuses it or ends meanwhile. */
  order(command: string): Promise<void>;
  close(): void;
}

interface Said {
  readonly return?: unknown;
  readonly error?: { readonly desc: string };
}

/** Calls the QEMU that listens there. */
export const callQemu = async (path: string): Promise<Qmp> => {
  const socket = await connected(path);
  const answers: ((said: Said) => void)[] = [];
  // Greetings and events are neither of these.
  createInterface({ input: socket }).on('line', (line) => {
    const said = JSON.parse(line) as Said;
    if (said.return !== undefined || said.error) answers.shift()?.(said);
  });
  socket.once('close', () => {
    for (const answer of answers.splice(0)) answer({ error: { desc: 'it has ended' } });
  });
  const order = (command: string): Promise<void> =>
    new Promise((resolve, reject) => {
      answers.push(({ error }) => (error ? reject(new Error(`QEMU: ${command}: ${error.desc}`)) : resolve()));
      socket.write(`${JSON.stringify({ execute: command })}\n`);
    });
  await order('qmp_capabilities');
  return { order, close: () => socket.destroy() };
};

const connected = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ path });
    // Errors that come later close it, and that is seen.
    socket.once('connect', () => resolve(socket)).on('error', reject);
  });
