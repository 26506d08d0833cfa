import { execFile } from 'node:child_process';
import {
  type Capture,
  type Captured,
  captureFrames,
  type Sent,
  sendFrames,
  type Stream,
  streamFrames,
} from './frames.ts';
import { ip, run } from './namespaces.ts';

/** A machine with one interface, `eth0`, that is plugged into a port of a switch. */
export interface LabHost {
  /** The switch port that it is plugged into. */
  readonly port: string;
  readonly namespace: string;
  readonly address: string;
  readonly mac: string;
  /** Does the other one answer, to untagged frames, within this time? */
  ping(other: LabHost, timeoutMs?: number): Promise<boolean>;
  send(sent: Sent): Promise<void>;
  /** Sends until it is stopped, a burst every millisecond unless told otherwise. */
  stream(sent: Sent, everyMs?: number): Stream;
  capture(captured?: Captured): Promise<Capture>;
  /** Ends what it still sends and captures. */
  stop(): Promise<void>;
}

/** What `ip` has to do outside: a cable between a new namespace and the switch's. */
export const cable = (namespace: string, port: string, switchNamespace: string): string =>
  `link add ${port} netns ${switchNamespace} type veth peer name eth0 netns ${namespace}`;

/** Brings a host up whose cable is there. Hosts of one switch differ by number, from 0 to 199. */
export const startHost = async (namespace: string, port: string, number: number): Promise<LabHost> => {
  const address = `10.77.0.${number + 1}`;
  const mac = `02:00:00:00:00:${(number + 1).toString(16).padStart(2, '0')}`;
  // Left to the card, checksums are never written: ping works, TCP and DHCP do not.
  await run('ip', ['netns', 'exec', namespace, 'ethtool', '-K', 'eth0', 'tx', 'off']);
  await ip(
    [
      `link set eth0 address ${mac} addrgenmode none`,
      'link set lo up',
      'link set eth0 up',
      `address add ${address}/24 dev eth0`,
      // One lost question for an address would cost a second.
      'ntable change name arp_cache dev eth0 retrans 50',
    ],
    namespace,
  );
  const running = new Set<Stream | Capture>();
  const noted = <One extends Stream | Capture>(one: One): One => {
    running.add(one);
    return one;
  };
  return {
    port,
    namespace,
    address,
    mac,
    ping: async (other, timeoutMs = 1_000) => {
      for (const last = Date.now() + timeoutMs; ;) {
        const left = Math.max(last - Date.now(), 1);
        if (await answers(namespace, other.address, Math.min(left, 300))) return true;
        if (Date.now() >= last) return false;
      }
    },
    send: (sent) => sendFrames(namespace, sent),
    stream: (sent, everyMs = 1) => noted(streamFrames(namespace, sent, everyMs)),
    capture: async (captured) => noted(await captureFrames(namespace, captured)),
    stop: async () => {
      await Promise.all([...running].map((one) => one.stop()));
    },
  };
};

const answers = (namespace: string, address: string, timeoutMs: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const ping = ['ping', '-n', '-q', '-c', '1', '-W', String(timeoutMs / 1_000), address];
    execFile('ip', ['netns', 'exec', namespace, ...ping], (error) => {
      // 1 means that nobody answered; anything else, that nobody was asked.
      if (error && error.code !== 1) reject(new Error(`cannot ping: ${error.message}`));
      else resolve(!error);
    });
  });
