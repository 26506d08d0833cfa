import { connect, createServer, type Socket } from 'node:net';
import type { LineFault } from './lab-switch.ts';
import { listen, type ListenAddress } from '../listen-loopback.ts';

/** A relay in front of a device, so that the line to it can be broken on demand. */
export interface FaultRelay {
  /** Where to call instead: on loopback. */
  readonly port: number;
  breakLine(fault: LineFault | null): void;
  stop(): Promise<void>;
}

export const startFaultRelay = async (device: ListenAddress): Promise<FaultRelay> => {
  let fault: LineFault | null = null;
  let bytesLeft = 0;
  let held: { readonly flow: Socket; readonly bytes: Buffer[]; readonly callee: Socket } | null = null;
  const open = new Set<Socket>();
  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  };

  const server = createServer({ noDelay: true }, (caller) => {
    keep(caller);
    if (fault?.kind === 'refuse') {
      caller.destroy();
      return;
    }
    const callee = connect({ ...device, noDelay: true });
    keep(callee);
    caller.on('data', (bytes) => {
      if (fault?.kind === 'hang') return;
      if (fault?.kind === 'hold' && held === null && bytes.includes(fault.from))
        held = { flow: caller, bytes: [], callee };
      if (held?.flow === caller) {
        held.bytes.push(bytes);
        return;
      }
      if (fault?.kind === 'cut') {
        bytesLeft -= bytes.length;
        if (bytesLeft < 0) {
          caller.destroy();
          callee.destroy();
          return;
        }
      }
      callee.write(bytes);
    });
    callee.on('data', (bytes) => {
      if (fault?.kind !== 'hang' && held?.flow !== caller) caller.write(bytes);
    });
    // Where packets are lost, neither side learns that the other closed.
    caller.on('close', () => {
      if (held?.flow !== caller) callee.destroy();
    });
    callee.on('close', () => caller.destroy());
  });
  const port = await listen(server);
  return {
    port,
    breakLine: (next) => {
      fault = next;
      if (next?.kind !== 'hold') {
        for (const bytes of held?.bytes ?? []) held?.callee.write(bytes);
        held?.callee.end();
        held = null;
      }
      bytesLeft = next?.kind === 'cut' ? next.afterBytes : 0;
      if (next?.kind === 'refuse') for (const socket of open) socket.destroy();
    },
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
