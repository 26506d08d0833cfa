import { AddressRefused, type Outbound } from '@corral/base/http/outbound';
import { CorralError, obmFailed } from '../../core/errors.ts';
import type { CallPermit, ObmAccess, ObmAdmin, ObmAnswer, ObmClient } from './contract.ts';
import { OwnConnection } from './own-connection.ts';
import { watch } from './watch.ts';
import { converse } from './web-socket.ts';
import { isOnceIn, powerStatusIn, reasonIn, tokenIn } from './answers.ts';

/** What a daemon answered, read to its end. */
interface Reply {
  readonly status: number;
  readonly text: string;
}

/** The daemon has no such boot device (400), no such call at all, or a BMC that cannot (501). */
const lacksBootDevice: readonly number[] = [400, 404, 405, 501];
const largestAnswer = 64 * 1024;
/** Many more than one project has at once. */
const connectionsPerDaemon = 128;

export interface ObmHttpOptions {
  readonly timeoutMs: number;
  /** PEM of the authority that daemons' certificates are from; null: those that Node.js trusts. */
  readonly ca: string | null;
  readonly outbound: Outbound;
}

/** The OBM daemon's API over HTTP. Redirects are not followed: credentials go to the registered address only. */
export const httpObmClient = ({ timeoutMs, ca, outbound }: ObmHttpOptions): ObmClient & { close(): Promise<void> } => {
  // Loaded at the first call: it is a tenth of the time to start.
  let loaded: ReturnType<typeof load> | null = null;
  const load = async () => {
    const { Agent, buildConnector, request } = await import('undici');
    const { lookup } = outbound;
    const limits = {
      connect: outbound.guard(buildConnector({ timeout: timeoutMs, lookup, ...(ca === null ? {} : { ca }) })),
      headersTimeout: timeoutMs,
      // No connection is kept: one that the daemon closes just then would cost a power call, which cannot be repeated.
      pipelining: 0,
    };
    return {
      request,
      calls: new Agent({
        ...limits,
        bodyTimeout: timeoutMs,
        connections: connectionsPerDaemon,
        maxResponseSize: largestAnswer,
      }),
    };
  };
  const http = () => (loaded ??= load());
  const watched = new Set<OwnConnection>();

  /** Asks for something; nothing changes by it. */
  const ask = async (node: ObmAccess, name: string): Promise<Reply> => {
    const { request, calls } = await http();
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = async () => {
      const reply = await request(urlOf(node, name), { dispatcher: calls, method: 'GET', signal });
      return { status: reply.statusCode, text: await reply.body.text() };
    };
    try {
      return await unlessAborted(answer(), signal);
    } catch (error) {
      throw unanswered(node, timeoutMs, error);
    }
  };

  /** Changes something, which needs a right that may have ended by the time of the call. */
  const tell = async (
    node: ObmAdmin | ObmAccess,
    method: 'PUT' | 'POST' | 'DELETE',
    name: string,
    permit: CallPermit,
    content: object = {},
  ): Promise<Reply> => {
    const url = urlOf(node, name);
    const connection = await OwnConnection.to(url, { ca, outbound }, permit, largestAnswer);
    const sent =
      method === 'DELETE'
        ? { headers: credentialsOf(node) }
        : { headers: { ...credentialsOf(node), 'content-type': 'application/json' }, body: JSON.stringify(content) };
    try {
      return await timed({ permit }, timeoutMs, async (signal) => {
        const { statusCode, body } = await connection.ask(url, { method, ...sent }, signal);
        return { status: statusCode, text: await body.text() };
      });
    } catch (error) {
      // Whoever lost the right to call is not told that the daemon failed.
      permit.lost.throwIfAborted();
      throw error instanceof CorralError ? error : unanswered(node, timeoutMs, error);
    } finally {
      await connection.end();
    }
  };

  /** A call about tokens. */
  const admin = async (node: ObmAdmin, method: 'POST' | 'DELETE', permit: CallPermit): Promise<Reply> =>
    admitted(node, await tell(node, method, 'token', permit));

  const order = async (
    node: ObmAccess,
    method: 'PUT' | 'POST',
    name: string,
    permit: CallPermit,
    content?: object,
  ): Promise<ObmAnswer<null>> => judge(node, await tell(node, method, name, permit, content), () => null);

  return {
    createToken: async (node, permit) => {
      const token = tokenIn((await admin(node, 'POST', permit)).text);
      if (token === null) throw unexpected(node, 'returned no token');
      return token;
    },
    destroyToken: async (node, permit) => {
      await admin(node, 'DELETE', permit);
    },
    powerOn: (node, permit) => order(node, 'POST', 'power_on', permit),
    powerOff: (node, permit) => order(node, 'POST', 'power_off', permit),
    powerCycle: (node, force, permit) => order(node, 'POST', 'power_cycle', permit, { force }),
    setBootDevice: (node, device, permit) => order(node, 'PUT', 'boot_device', permit, { bootdev: device }),
    setNextBoot: async (node, device, permit) => {
      const set = (content: object) => tell(node, 'PUT', 'boot_device', permit, content);
      const first = await set({ bootdev: device, once: true });
      // Some take no field that they do not know.
      const reply = first.status === 400 ? await set({ bootdev: device }) : first;
      if (lacksBootDevice.includes(reply.status)) return { kind: 'done', value: 'unknown' };
      return judge(node, reply, (text) => (reply === first && isOnceIn(text) ? 'once' : 'lasting'));
    },
    powerStatus: async (node) =>
      judge(node, await ask(node, 'power_status'), (text) => {
        const status = powerStatusIn(text);
        if (status === null) throw unexpected(node, 'returned no power status');
        return status;
      }),
    console: async (node, use, signal, permit) => {
      const url = urlOf(node, 'console');
      const way = { ca, outbound };
      const opened =
        use === 'talk'
          ? (either: AbortSignal) => converse(url, way, either, permit)
          : (either: AbortSignal) => watch(url, way, either, permit, watched);
      const answer = await timed({ signal, permit }, timeoutMs, opened).catch((error: unknown) => {
        permit.check();
        if (signal.aborted)
          throw obmFailed(`the request for the console at ${originOf(node)} was cancelled; send it again`);
        throw unanswered(node, timeoutMs, error);
      });
      return answer.kind === 'line' ? { kind: 'done', value: answer.line } : judge(node, answer, unreachable);
    },
    close: async () => {
      const { calls } = (await loaded) ?? {};
      await Promise.all([calls?.destroy(), ...[...watched].map((connection) => connection.end())]);
    },
  };
};

/** Gives up when the time is over, the right to call is lost, or nobody wants it any more. */
const timed = async <T>(
  { signal, permit }: { readonly signal?: AbortSignal; readonly permit: CallPermit },
  timeoutMs: number,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Timeout()), timeoutMs);
  // Only until it is answered: a console that is open is its client's.
  const lose = (): void => late.abort(permit.lost.reason);
  permit.lost.addEventListener('abort', lose, { once: true });
  const either = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  return unlessAborted(ask(either), either).finally(() => {
    clearTimeout(timer);
    permit.lost.removeEventListener('abort', lose);
  });
};

const unreachable = (): never => {
  throw new Error('a refusal has no value');
};

class Timeout extends Error {
  override readonly name = 'TimeoutError';
}

const originOf = ({ uri }: ObmAdmin | ObmAccess): string => new URL(uri).origin;

const urlOf = (node: ObmAdmin | ObmAccess, name: string): URL => {
  const url = new URL(node.uri);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${name}`;
  if ('token' in node) url.searchParams.set('token', node.token);
  return url;
};

const credentialsOf = (node: ObmAdmin | ObmAccess): Record<string, string> =>
  'adminToken' in node ? { authorization: `Basic ${Buffer.from(`admin:${node.adminToken}`).toString('base64')}` } : {};

/** undici hears an abort only once a request is on the wire; nobody should wait in its queue for that. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const give = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) give();
    signal.addEventListener('abort', give, { once: true });
    work.then(resolve, reject);
  });

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const judge = <T>(node: ObmAccess, { status, text }: Reply, read: (text: string) => T): ObmAnswer<T> => {
  if (isSuccess(status)) return { kind: 'done', value: read(text) };
  if (status === 401 || status === 403) return { kind: 'token-refused' };
  if (status === 400) return { kind: 'rejected', reason: reasonIn(text, node.token) ?? 'no reason given' };
  throw failed(node, status, reasonIn(text, node.token));
};

const admitted = (node: ObmAdmin, reply: Reply): Reply => {
  if (isSuccess(reply.status)) return reply;
  if (reply.status !== 401 && reply.status !== 403) {
    throw failed(node, reply.status, reasonIn(reply.text, node.adminToken));
  }
  throw obmFailed(
    `the OBM daemon at ${originOf(node)} rejected the admin token; an administrator must set the token of the daemon with PUT /node/<node>/obmd`,
  );
};

const failed = (node: ObmAdmin | ObmAccess, status: number, reason: string | null): CorralError => {
  const daemon = `the OBM daemon at ${originOf(node)}`;
  if (status === 404) return obmFailed(`${daemon} does not know this node; register the node there first`);
  if (status >= 300 && status < 400) {
    return obmFailed(
      `${daemon} redirects (status ${status}), which is not followed; register the node under its final address`,
    );
  }
  if (status >= 500) {
    const why = reason ?? 'see its log';
    return obmFailed(`${daemon} failed with status ${status}: ${why}`);
  }
  return unexpected(node, `answered with status ${status}`);
};

const unexpected = (node: ObmAdmin | ObmAccess, what: string): CorralError =>
  obmFailed(`the OBM daemon at ${originOf(node)} ${what}; check that the node's address is that of an OBM daemon`);

/** How Node.js calls what is wrong with a certificate. */
const untrusted = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|INVALID_CA|ERR_TLS_CERT_)/;
const timeouts = ['TimeoutError', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

/** What undici threw stays here: it can carry the URL with the token, or the answer with it. Only its code goes on. */
const unanswered = (node: ObmAdmin | ObmAccess, timeoutMs: number, error: unknown): CorralError => {
  if (error instanceof AddressRefused) return notPermitted(node, error);
  const code = codeOf(error);
  const options = { cause: new Error(code) };
  const daemon = `the OBM daemon at ${originOf(node)}`;
  if (timeouts.includes(code)) {
    return obmFailed(
      `${daemon} did not answer within ${timeoutMs / 1000} s; check that it runs and can be reached`,
      options,
    );
  }
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return unexpected(node, 'sent a response that is too large');
  if (untrusted.test(code)) {
    return obmFailed(
      `the certificate of ${daemon} is not trusted here (${code}); set obm.ca to the authority that it is from`,
      options,
    );
  }
  return obmFailed(`${daemon} cannot be reached (${code}); check that it runs and can be reached`, options);
};

/** Where a daemon really is, is for administrators to know. */
const notPermitted = (node: ObmAdmin | ObmAccess, refused: AddressRefused): CorralError => {
  const daemon = `the OBM daemon at ${originOf(node)}`;
  return obmFailed(
    `${daemon} is at an address that this service must not connect to; an administrator can allow it with ${refused.setting}`,
    {
      cause: refused,
      forAdmins: `${daemon} is not contacted: ${refused.message}; or register the node under another address`,
    },
  );
};

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return /^\w{1,64}$/.test(code) ? code : 'unknown';
};
