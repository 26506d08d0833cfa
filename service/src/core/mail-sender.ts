import type { Socket } from 'node:net';
import { firstOf, onAbort, TimedOut } from '@corral/base/abort';
import { httpFaultOf } from '@corral/base/http/http-fault';
import { RateLimit } from '@corral/base/http/rate-limit';
import { AddressRefused, type Outbound } from '@corral/base/http/outbound';
import { connectTcp } from '@corral/base/net/connect-tcp';
import type { DeliveryResult } from './delivery-result.ts';

/** A mail, as plain text. The id is the same however often it is sent. */
export interface MailMessage {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The relay, and how it is talked to. */
export interface MailRelay {
  readonly host: string;
  readonly port: number;
  readonly tls: 'starttls' | 'implicit' | 'none';
  readonly ca: string | null;
  readonly login: { readonly user: string; readonly password: string } | null;
  readonly from: string;
  readonly digestMs: number;
  readonly timeoutMs: number;
}

/** Mails that users have sent to themselves at once: so many after a pause, and then as many a minute. */
const mostTrials = 10;

/** Sends mail through the site's relay, each over a connection of its own. */
export class MailSender {
  readonly #relay: MailRelay;
  readonly #outbound: Outbound;
  readonly #trials = new RateLimit(mostTrials / 60, () => performance.now(), 60_000);

  constructor(relay: MailRelay, outbound: Outbound) {
    this.#relay = relay;
    this.#outbound = outbound;
  }

  get from(): string {
    return this.#relay.from;
  }

  get digestMs(): number {
    return this.#relay.digestMs;
  }

  /** Counts a mail that a user asks for now: 0 if it may be sent, otherwise the seconds until the next one may. */
  waitForTrial(userId: number): number {
    return this.#trials.wait(String(userId));
  }

  /** Sends a mail once. Never throws. */
  async send(message: MailMessage, signals: readonly AbortSignal[] = []): Promise<DeliveryResult> {
    const { timeoutMs } = this.#relay;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new TimedOut(timeoutMs)), timeoutMs);
    const { signal, release } = firstOf(late.signal, ...signals);
    try {
      return { kind: 'delivered', result: await this.#transfer(message, signal) };
    } catch (error) {
      return late.signal.aborted
        ? { kind: 'failed', result: `did not answer within ${timeoutMs / 1000} s` }
        : resultOf(error);
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  async #transfer(message: MailMessage, signal: AbortSignal): Promise<string> {
    const { host, port, tls, ca, login, from, timeoutMs } = this.#relay;
    // Large, and most sites have no mail.
    const { createTransport } = await import('nodemailer');
    const socket = await connected(
      () => connectTcp({ host: host.replace(/^\[(.*)\]$/, '$1'), port }, this.#outbound),
      signal,
    );
    const unwatch = onAbort(signal, () => socket.destroy());
    const transport = createTransport({
      host,
      port,
      secure: tls === 'implicit',
      requireTLS: tls === 'starttls',
      ignoreTLS: tls === 'none',
      tls: { ...(ca === null ? {} : { ca }) },
      ...(login === null ? {} : { auth: { user: login.user, pass: login.password }, forceAuth: true }),
      // The address was judged: nothing else is connected to, read or fetched.
      getSocket: (_, callback) => callback(null, { connection: socket }),
      disableFileAccess: true,
      disableUrlAccess: true,
      // Its words may contain what the relay said, and addresses.
      logger: false,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
    });
    try {
      const { id, to, subject, text } = message;
      const domain = from.slice(from.lastIndexOf('@') + 1);
      const sent = await transport.sendMail({
        from: { name: 'Corral', address: from },
        to: { name: '', address: to },
        envelope: { from, to: [to] },
        messageId: `<${id}@${domain}>`,
        subject,
        text,
        // RFC 3834: nobody's absence is to answer it.
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      });
      return `answered ${/^\d{3}/.exec(sent.response)?.[0] ?? 'something'}`;
    } finally {
      unwatch();
      transport.close();
      socket.destroy();
    }
  }
}

/** A socket once it is up. */
const connected = (open: () => Socket, signal: AbortSignal): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = open();
    const unwatch = onAbort(signal, () => {
      reject(new Error('aborted'));
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.removeListener('error', reject);
      // Until the transport listens, and after it has ceased to.
      socket.on('error', () => undefined);
      resolve(socket);
    });
    socket.once('close', () => {
      unwatch();
      reject(new Error('closed'));
    });
  });

/** What nodemailer says of an error. */
interface SmtpError {
  readonly code?: unknown;
  /** What the socket had called it. */
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
}

/** Without the words of the relay, which may contain addresses that are nobody's business. */
const resultOf = (error: unknown): DeliveryResult => {
  const failed = (result: string): DeliveryResult => ({ kind: 'failed', result });
  if (error instanceof AddressRefused) return failed('is at an address where connections may not go');
  const { code, originalCode = code, command, responseCode } = (error instanceof Error ? error : {}) as SmtpError;
  const stage = typeof command === 'string' ? (/^[A-Z]+(?: [A-Z]+)?/.exec(command)?.[0] ?? '') : '';
  if (code === 'ETLS') return failed('does not offer the encryption that mail.tls asks for');
  if (code === 'EAUTH') {
    return failed(`refused the login${typeof responseCode === 'number' ? ` (${responseCode})` : ''}`);
  }
  if (typeof responseCode === 'number') {
    // What it says of this recipient, or of this text, it will say again; about anything else it may think again.
    const isFinal = responseCode >= 500 && (stage === 'RCPT TO' || stage === 'DATA');
    const to = stage === '' ? '' : ` to ${stage}`;
    return { kind: isFinal ? 'refused' : 'failed', result: `answered ${responseCode}${to}` };
  }
  const fault = httpFaultOf(Object.assign(new Error('SMTP'), { code: originalCode }));
  if (fault.kind === 'untrusted') return failed(`has a certificate that is not trusted (${fault.code})`);
  if (fault.kind === 'nonsense') return failed(`does not speak TLS (${fault.code})`);
  return failed(`could not be reached, or closed the connection (${fault.code})`);
};
