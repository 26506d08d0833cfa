import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { unlessAborted } from '@corral/base/abort';
import { AddressRefused, type Outbound } from '@corral/base/http/outbound';
import { resetSocket } from '@corral/base/net/reset-socket';
import { connectTcp } from '@corral/base/net/connect-tcp';
import type { Algorithms, Client, ClientErrorExtensions, ServerHostKeyAlgorithm } from 'ssh2';
import type { SshLogin } from './ssh-login.ts';

/** For `unlessAborted`: the name of what was aborted, and how it is ended. */
export const gaveUp = (what: string, giveUp: () => void) => ({
  error: (cause: unknown) => new Error(`gave up ${what}`, { cause }),
  giveUp,
});

/** A login on a switch. */
export interface SshConnection {
  readonly client: Client;
  /** Ends it at once: what was not delivered yet is never sent. */
  readonly reset: () => void;
}

/** Logs in. The client keeps an error listener for life, so a line that dies later crashes nobody. */
export const connectSsh = async (
  login: SshLogin,
  signal: AbortSignal,
  outbound: Outbound | null,
): Promise<SshConnection> => {
  // Loaded at the first login: many processes never make one.
  const { default: ssh2 } = await import('ssh2');
  signal.throwIfAborted();
  // Given by us, so that its address is judged and it can be reset.
  const socket = connectTcp({ host: login.host, port: login.port }, outbound);
  const client = new ssh2.Client();
  const reset = (): void => resetSocket(socket);
  const place = `${login.host} port ${login.port}`;
  let presented: Buffer | null = null;
  const connected = () =>
    new Promise<SshConnection>((resolve, reject) => {
      const fail = (error: Error): void => {
        reset();
        reject(error);
      };
      client.on('error', (error) => fail(explained(error, login, presented)));
      client.once('close', () => fail(new Error(`the switch at ${place} closed the connection`)));
      client.once('ready', () => {
        // Calls and answers are small: waiting to fill a packet costs 40 ms each.
        client.setNoDelay(true);
        resolve({ client, reset });
      });
      // Many switches take a password only this way.
      client.on('keyboard-interactive', (_name, _instructions, _language, prompts, finish) =>
        finish(prompts.map(() => login.password ?? '')),
      );
      const isExpected = (key: Buffer): boolean => {
        presented = key;
        return login.hostKey === undefined || isKey(login.hostKey, key);
      };
      attempt(client, socket, login, isExpected, fail);
    });
  return unlessAborted(connected, signal, gaveUp(`connecting to ${place}`, reset));
};

const attempt = (
  client: Client,
  socket: Socket,
  login: SshLogin,
  hostVerifier: (key: Buffer) => boolean,
  fail: (error: Error) => void,
): void => {
  try {
    client.connect({
      sock: socket,
      username: login.username,
      ...(login.password === undefined ? {} : { password: login.password, tryKeyboard: true }),
      ...(login.privateKey === undefined ? {} : { privateKey: login.privateKey }),
      algorithms: algorithmsFor(login),
      hostVerifier,
      // The caller's signal says how long to wait; this finds a line that died in silence.
      readyTimeout: 0,
      keepaliveInterval: 15_000,
      keepaliveCountMax: 3,
    });
  } catch (error) {
    // A private key that cannot be read is found here; its text is never repeated.
    fail(new Error(`cannot connect: ${error instanceof Error ? error.message : 'bad settings'}`));
  }
};

/** SHA-1, CBC and short groups are taken only where the operator says so. */
const algorithmsFor = (login: SshLogin): Algorithms => {
  const choice: Algorithms = login.allowsLegacyAlgorithms ? legacy.append : legacy.remove;
  // A device with several host keys must show the one that is pinned.
  const pinned = algorithmsOfKey[/^\S+(?= )/.exec(login.hostKey ?? '')?.[0] ?? ''];
  if (!pinned) return choice;
  return { ...choice, serverHostKey: pinned.filter((name) => login.allowsLegacyAlgorithms || name !== 'ssh-rsa') };
};

const algorithmsOfKey: Readonly<Record<string, readonly ServerHostKeyAlgorithm[]>> = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
};

const legacy = {
  append: {
    kex: {
      append: ['diffie-hellman-group-exchange-sha1', 'diffie-hellman-group14-sha1', 'diffie-hellman-group1-sha1'],
      prepend: [],
      remove: [],
    },
    cipher: { append: ['aes256-cbc', 'aes192-cbc', 'aes128-cbc', '3des-cbc'], prepend: [], remove: [] },
    serverHostKey: { append: ['ssh-dss'], prepend: [], remove: [] },
  },
  remove: {
    serverHostKey: { remove: ['ssh-rsa'], prepend: [], append: [] },
    hmac: { remove: ['hmac-sha1', 'hmac-sha1-etm@openssh.com'], prepend: [], append: [] },
  },
} satisfies Record<string, Algorithms>;

const fingerprintOf = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=$/, '')}`;

const isKey = (expected: string, key: Buffer): boolean =>
  expected.startsWith('SHA256:')
    ? expected.replace(/=$/, '') === fingerprintOf(key)
    : expected.split(' ')[1] === key.toString('base64');

const explained = (error: Error & ClientErrorExtensions, login: SshLogin, presented: Buffer | null): Error => {
  if (error instanceof AddressRefused) return error;
  const place = `${login.host} port ${login.port}`;
  if (error.level === 'client-authentication') return new Error(`${place} rejects the login of user ${login.username}`);
  if (presented && login.hostKey !== undefined && !isKey(login.hostKey, presented))
    return new Error(`${place} shows the host key ${fingerprintOf(presented)}, not the one in "host_key"`);
  const hint =
    error.message.includes('no matching') && !login.allowsLegacyAlgorithms
      ? '; "legacy_algorithms": true offers old ones too'
      : '';
  return new Error(`the connection to ${place} failed: ${error.message}${hint}`);
};
