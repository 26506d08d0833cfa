import { createHash } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import ssh2, { type Algorithms, type AuthContext, type Session } from 'ssh2';
import { listen } from '../listen-loopback.ts';

/** Who may log in to a device of the lab. */
export interface SshAccount {
  readonly username: string;
  readonly password: string;
  /** A public key that is accepted too, in OpenSSH form. */
  readonly publicKey?: string;
  /** Takes the password only as an answer to its own question, as many devices do. */
  readonly isKeyboardInteractive?: boolean;
  /** Lets everybody in: who it is is asked later. */
  readonly isOpen?: boolean;
  /** Knows only the algorithms of long ago. */
  readonly isOld?: boolean;
}

/** An SSH server on loopback, with a host key of its own. */
export interface SshServer {
  readonly port: number;
  /** As `SHA256:…`. */
  readonly fingerprint: string;
  /** As `ssh-ed25519 AAAA…`. */
  readonly hostKey: string;
  /** Closes the line of everybody who is logged in. */
  drop(): void;
  stop(): Promise<void>;
}

/** A key pair as ssh2 and OpenSSH take it. */
export const newKeyPair = (): { readonly privateKey: string; readonly publicKey: string } => {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519');
    // One in 256 is broken: ssh2 1.17 drops a first byte that is zero (mscdex/ssh2#1513).
    if (!(ssh2.utils.parseKey(pair.private) instanceof Error))
      return { privateKey: pair.private, publicKey: pair.public };
  }
};

/** The fingerprint of a public key in OpenSSH form, as `SHA256:…`. */
export const fingerprintOf = (publicKey: string): string => {
  const [, blob = ''] = publicKey.split(' ');
  return `SHA256:${createHash('sha256').update(blob, 'base64').digest('base64').replace(/=+$/, '')}`;
};

const old: Algorithms = { kex: ['diffie-hellman-group14-sha1'], cipher: ['aes128-cbc'], hmac: ['hmac-sha1'] };

/** Starts one; `attend` is given each session and the way to end its line. */
export const startSshServer = async (
  account: SshAccount,
  attend: (session: Session, hangUp: () => void) => void,
): Promise<SshServer> => {
  const keys = newKeyPair();
  const [type = '', blob = ''] = keys.publicKey.split(' ');
  const sockets = new Set<Socket>();
  const ssh = new ssh2.Server(
    { hostKeys: [keys.privateKey], ...(account.isOld ? { algorithms: old } : {}) },
    (client) => {
      client.on('error', () => undefined);
      client.on('authentication', (context) => admit(context, account));
      client.on('session', (accept) => attend(accept(), () => client.end()));
    },
  );
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    ssh.injectSocket(socket);
  });
  const port = await listen(server);
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    fingerprint: fingerprintOf(keys.publicKey),
    hostKey: `${type} ${blob}`,
    drop,
    stop: async () => {
      drop();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

const admit = (context: AuthContext, account: SshAccount): void => {
  const passwordMethod = account.isKeyboardInteractive ? 'keyboard-interactive' : 'password';
  const decide = (isWelcome: boolean): void =>
    isWelcome ? context.accept() : context.reject(['publickey', passwordMethod]);
  const isKnown = context.username === account.username;
  if (account.isOpen) return context.accept();
  switch (context.method) {
    case 'password':
      return decide(isKnown && passwordMethod === 'password' && context.password === account.password);
    case 'keyboard-interactive':
      return context.prompt([{ prompt: 'Password: ', echo: false }], (answers) =>
        decide(isKnown && answers[0] === account.password),
      );
    case 'publickey':
      return decide(isKnown && account.publicKey !== undefined && isSignedBy(account.publicKey, context));
    default:
      return decide(false);
  }
};

const isSignedBy = (publicKey: string, context: Extract<AuthContext, { method: 'publickey' }>): boolean => {
  const known = ssh2.utils.parseKey(publicKey);
  if (known instanceof Error || !known.getPublicSSH().equals(context.key.data)) return false;
  // Without a signature the client only asks whether it is worth signing.
  return !context.signature || known.verify(context.blob ?? Buffer.alloc(0), context.signature, context.hashAlgo);
};
