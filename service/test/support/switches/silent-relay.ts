import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a driver and its device, can fall silent, and sees how a connection ends then. */
interface SilentRelay {
  readonly port: number;
  /** From now on nothing passes, in either direction. */
  readonly fallSilent: () => void;
  /** Resolves when something was sent in vain. */
  readonly sentInVain: Promise<unknown>;
  /** How the connection ended that it was sent on: by a reset, or by a close, after which the rest is delivered. */
  readonly ending: Promise<'reset' | 'close'>;
  readonly stop: () => void;
}

const startSilentRelay = async (device: number): Promise<SilentRelay> => {
  const sockets = new Set<Socket>();
  let isSilent = false;
  let inVain: (caller: Socket) => void = () => undefined;
  const sentInVain = new Promise<Socket>((resolve) => (inVain = resolve));
  const ending = sentInVain.then(
    (caller) =>
      new Promise<'reset' | 'close'>((resolve) => {
        caller.once('end', () => resolve('close'));
        caller.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNRESET' ? 'reset' : 'close'));
      }),
  );
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (caller) => {
    const far = connect({ port: device, host: '127.0.0.1', noDelay: true });
    for (const socket of [caller, far]) sockets.add(socket.on('error', () => undefined));
    caller.on('data', (bytes) => {
      if (isSilent) inVain(caller);
      else far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (!isSilent) caller.write(bytes);
    });
    caller.on('close', () => far.destroy());
    far.on('close', () => {
      if (!isSilent) caller.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    fallSilent: () => {
      isSilent = true;
    },
    sentInVain,
    ending,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

/** The port in what a driver or a BMC is registered with, and the same fields with another one. */
export const behind = async (
  fields: Readonly<Record<string, unknown>>,
): Promise<{ readonly relay: SilentRelay; readonly fields: Readonly<Record<string, unknown>> }> => {
  const text = JSON.stringify(fields);
  const port = /127\.0\.0\.1:(\d+)/.exec(text)?.[1] ?? /"port":(\d+)/.exec(text)?.[1] ?? '';
  const relay = await startSilentRelay(Number(port));
  return { relay, fields: JSON.parse(text.replace(port, String(relay.port))) as Record<string, unknown> };
};
