import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

/** A mail as it arrived. */
interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Who had logged in. */
  readonly user: string | null;
  readonly secure: boolean;
}

/** Refuse with a code, close the line, never answer; null: take it. */
type Reaction = number | 'drop' | 'hang' | null;

/** A relay that does to each mail what the test wants. */
export interface MailRelay {
  readonly port: number;
  /** Settings with which a service uses it. */
  readonly env: Readonly<Record<string, string>>;
  /** Those that came as far as their text. */
  readonly received: readonly ReceivedMail[];
  readonly taken: readonly ReceivedMail[];
  readonly logins: readonly string[];
  atSender: () => number | null;
  atRecipient: (address: string) => number | null;
  atText: () => Reaction;
  close(): Promise<void>;
}

interface RelayOptions {
  readonly port?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly implicit?: boolean;
  readonly login?: { readonly user: string; readonly password: string };
}

/** Starts one, which ends with the test. It takes everything until it is told otherwise. */
export const startRelay = async ({ port = 0, tls, implicit, login }: RelayOptions = {}): Promise<MailRelay> => {
  const received: ReceivedMail[] = [];
  const taken: ReceivedMail[] = [];
  const logins: string[] = [];
  const sockets = new Set<Socket>();
  const end = (): void => sockets.forEach((socket) => socket.destroy());
  const options: SMTPServerOptions = {
    logger: false,
    secure: implicit === true,
    ...(tls ?? {}),
    disabledCommands: [...(tls === undefined ? ['STARTTLS'] : []), ...(login === undefined ? ['AUTH'] : [])],
    authOptional: login === undefined,
    onAuth: ({ username, password }, _, callback) => {
      logins.push(username ?? '');
      if (username === login?.user && password === login?.password) callback(null, { user: username });
      else callback(refusal(535));
    },
    onMailFrom: (_, __, callback) => callback(refusal(relay.atSender())),
    onRcptTo: ({ address }, _, callback) => callback(refusal(relay.atRecipient(address))),
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail = {
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          ...parsed(Buffer.concat(chunks).toString()),
          user: typeof session.user === 'string' ? session.user : null,
          secure: session.secure,
        };
        received.push(mail);
        const reaction = relay.atText();
        if (reaction === 'drop') end();
        if (typeof reaction === 'string') return;
        if (reaction === null) taken.push(mail);
        callback(refusal(reaction));
      });
    },
  };
  const server = new SMTPServer(options);
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const place = (server.server.address() as AddressInfo).port;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(resolve);
      end();
    });
  const relay: MailRelay = {
    port: place,
    env: {
      CORRAL_MAIL_HOST: '127.0.0.1',
      CORRAL_MAIL_PORT: String(place),
      CORRAL_MAIL_TLS: tls === undefined ? 'none' : implicit === true ? 'implicit' : 'starttls',
      CORRAL_MAIL_FROM: 'corral@example.org',
      CORRAL_MAIL_DIGEST: '0.05',
    },
    received,
    taken,
    logins,
    atSender: () => null,
    atRecipient: () => null,
    atText: () => null,
    close,
  };
  onTestFinished(close);
  return relay;
};

const refusal = (code: Reaction): Error | null =>
  typeof code === 'number' ? Object.assign(new Error('words of the relay'), { responseCode: code }) : null;

const parsed = (raw: string): Pick<ReceivedMail, 'headers' | 'text'> => {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.replace(/:.*/, '').toLowerCase(), line.replace(/^[^:]*: ?/, '')]),
  );
  const body = rest.join('\r\n\r\n');
  const isQuoted = headers['content-transfer-encoding'] === 'quoted-printable';
  return { headers, text: (isQuoted ? unquoted(body) : body).replaceAll('\r\n', '\n') };
};

const unquoted = (text: string): string =>
  Buffer.from(
    text
      .replaceAll('=\r\n', '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();
