import { withDeadline } from '@corral/base/abort';
import { HttpClient, type HttpRequest, describeOrigin } from '@corral/base/http/http-client';
import { httpFaultOf } from '@corral/base/http/http-fault';
import { AddressRefused, type Outbound } from '@corral/base/http/outbound';
import { badArgument, CorralError, duplicate, notFound, obmFailed } from '../../core/corral-error.ts';
import type { CallPermit, ObmAccess, ObmAdmin, ObmAnswer, ObmClient } from './obm-contract.ts';
import { openConsoleStream } from './console-stream.ts';
import { type ConsoleUpgrade, openConsoleSocket } from './console-web-socket.ts';
import { bmcIn, bmcsIn, bmcTestIn, isOnceIn, powerStatusIn, reasonIn, secretsOf, tokenIn } from './obm-responses.ts';

/** What a daemon answered, read to its end. */
interface Reply {
  readonly status: number;
  readonly text: string;
}

/** The daemon has no such boot device (400), no such call at all, or a BMC that cannot (501). */
const lacksBootDevice: readonly number[] = [400, 404, 405, 501];
const largestAnswer = 64 * 1024;
/** The list of a daemon with a hundred thousand nodes. */
const largestList = 32 * 1024 * 1024;
/** The daemon has no list of nodes. */
const lacksList: readonly number[] = [404, 405, 501];
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
  const daemon = { ca: ca ?? undefined, outbound };
  // No connection is kept: one that the daemon closes just then would cost a power call, which cannot be repeated.
  const options = { trust: daemon, outbound, connections: connectionsPerDaemon, keepAlive: false };
  const calls = new HttpClient({ ...options, largestAnswer });
  const lists = new HttpClient({ ...options, largestAnswer: largestList });
  const consoles = new HttpClient({ ...options, largestAnswer: -1 });

  const call = async (
    node: ObmAdmin | ObmAccess,
    method: HttpRequest['method'],
    name: string,
    permit: CallPermit | null,
    content: object = {},
    client = calls,
  ): Promise<Reply> => {
    const hasBody = method === 'PUT' || method === 'POST';
    const request = {
      method,
      ...describeOrigin(urlOf(node, name)),
      headers: { ...credentialsOf(node), ...(hasBody ? { 'content-type': 'application/json' } : {}) },
      body: hasBody ? JSON.stringify(content) : null,
      check: permit?.check,
    };
    const deadline = { ms: timeoutMs, signals: permit === null ? [] : [permit.lost] };
    return withDeadline(deadline, (signal) => client.request(request, signal)).catch((error: unknown) => {
      // A caller that lost its lease does not get a failure of the daemon.
      permit?.lost.throwIfAborted();
      throw unanswered(node, timeoutMs, error);
    });
  };

  /** A call about tokens. */
  const admin = async (node: ObmAdmin, method: 'POST' | 'DELETE', permit: CallPermit): Promise<Reply> =>
    admitted(node, await call(node, method, 'token', permit));

  /** A call about the BMC of a node. `secrets`: what is sent and may be repeated. */
  const bmc = async (
    node: ObmAdmin,
    [method, name]: readonly [HttpRequest['method'], string],
    permit: CallPermit | null,
    content: object = {},
    secrets: readonly string[] = [],
  ): Promise<Reply> => {
    const reply = await call(node, method, name, permit, content);
    const reason = reasonIn(reply.text, node.adminToken, ...secrets) ?? 'no reason given';
    if (reply.status === 400) throw badArgument(`the OBM daemon refused the BMC: ${reason}`);
    if (reply.status === 409) throw duplicate(`the OBM daemon refused the BMC: ${reason}`);
    if (reply.status === 404 && method !== 'PUT') throw withoutBmc(node);
    return admitted(node, reply, secrets);
  };

  const order = async (
    node: ObmAccess,
    method: 'PUT' | 'POST',
    name: string,
    permit: CallPermit,
    content?: object,
  ): Promise<ObmAnswer<null>> => interpret(node, await call(node, method, name, permit, content), () => null);

  return {
    createToken: async (node, permit) => {
      const token = tokenIn((await admin(node, 'POST', permit)).text);
      if (token === null) throw unexpected(node, 'returned no token');
      return token;
    },
    destroyToken: async (node, permit) => {
      await admin(node, 'DELETE', permit);
    },
    registerBmc: async (node, { type, info }, permit) => {
      await bmc(node, ['PUT', ''], permit, { type, info }, secretsOf(info));
    },
    showBmc: async (node) => {
      const shown = bmcIn((await bmc(node, ['GET', ''], null)).text);
      if (shown === null) throw unexpected(node, 'does not show the BMC');
      return shown;
    },
    listBmcs: async (daemon) => {
      const reply = await call(daemon, 'GET', 'nodes', null, {}, lists);
      return lacksList.includes(reply.status) ? null : bmcsIn(admitted(daemon, reply).text);
    },
    deleteBmc: async (node, permit) => {
      await bmc(node, ['DELETE', ''], permit);
    },
    testBmc: async (node, permit) => {
      const test = bmcTestIn((await bmc(node, ['POST', 'test'], permit)).text);
      if (test === null) throw unexpected(node, 'does not report what answered');
      return test;
    },
    powerOn: (node, permit) => order(node, 'POST', 'power_on', permit),
    powerOff: (node, permit) => order(node, 'POST', 'power_off', permit),
    powerCycle: (node, force, permit) => order(node, 'POST', 'power_cycle', permit, { force }),
    setBootDevice: (node, device, permit) => order(node, 'PUT', 'boot_device', permit, { bootdev: device }),
    setNextBoot: async (node, device, permit) => {
      const set = (content: object) => call(node, 'PUT', 'boot_device', permit, content);
      const first = await set({ bootdev: device, once: true });
      // Some take no field that they do not know.
      const reply = first.status === 400 ? await set({ bootdev: device }) : first;
      if (lacksBootDevice.includes(reply.status)) return { kind: 'done', value: 'unknown' };
      return interpret(node, reply, (text) => (reply === first && isOnceIn(text) ? 'once' : 'lasting'));
    },
    powerStatus: async (node) =>
      interpret(node, await call(node, 'GET', 'power_status', null), (text) => {
        const status = powerStatusIn(text);
        if (status === null) throw unexpected(node, 'returned no power status');
        return status;
      }),
    console: async (node, use, signal, permit) => {
      const url = urlOf(node, 'console');
      const opened = (either: AbortSignal): Promise<ConsoleUpgrade> =>
        use === 'read-write'
          ? openConsoleSocket(url, daemon, either, permit)
          : openConsoleStream(consoles, { method: 'GET', ...describeOrigin(url), check: permit.check }, either);
      // Only until it is answered: a console that is open is its client's.
      const deadline = { ms: timeoutMs, signals: [signal, permit.lost] };
      const answer = await withDeadline(deadline, opened).catch((error: unknown) => {
        permit.lost.throwIfAborted();
        if (signal.aborted)
          throw obmFailed(`the request for the console at ${originOf(node)} was cancelled; send it again`);
        throw unanswered(node, timeoutMs, error);
      });
      return answer.kind === 'line' ? { kind: 'done', value: answer.line } : interpret(node, answer, unreachable);
    },
    close: async () => {
      await Promise.all([calls.close(), lists.close(), consoles.close()]);
    },
  };
};

const unreachable = (): never => {
  throw new Error('a refusal has no value');
};

const originOf = ({ uri }: ObmAdmin | ObmAccess): string => new URL(uri).origin;

const urlOf = (node: ObmAdmin | ObmAccess, name: string): URL => {
  const url = new URL(node.uri);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${name === '' ? '' : `/${name}`}`;
  if ('token' in node) url.searchParams.set('token', node.token);
  return url;
};

const credentialsOf = (node: ObmAdmin | ObmAccess): Record<string, string> =>
  'adminToken' in node ? { authorization: `Basic ${Buffer.from(`admin:${node.adminToken}`).toString('base64')}` } : {};

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const interpret = <T>(node: ObmAccess, { status, text }: Reply, read: (text: string) => T): ObmAnswer<T> => {
  if (isSuccess(status)) return { kind: 'done', value: read(text) };
  if (status === 401 || status === 403) return { kind: 'token-refused' };
  if (status === 400) return { kind: 'rejected', reason: reasonIn(text, node.token) ?? 'no reason given' };
  throw failed(node, status, reasonIn(text, node.token));
};

const withoutBmc = (node: ObmAdmin): CorralError =>
  notFound(
    `the OBM daemon at ${originOf(node)} has no BMC for this node; register it: corral bmc register, or PUT /node/<node>/bmc`,
  );

const admitted = (node: ObmAdmin, reply: Reply, secrets: readonly string[] = []): Reply => {
  if (isSuccess(reply.status)) return reply;
  if (reply.status !== 401 && reply.status !== 403) {
    throw failed(node, reply.status, reasonIn(reply.text, node.adminToken, ...secrets));
  }
  if (node.isInside === true) {
    throw obmFailed(
      `the OBM daemon at ${originOf(node)} does not know this service: it works on another database; an administrator has to correct obmd.url on the machine that has the BMCs`,
    );
  }
  throw obmFailed(
    `the OBM daemon at ${originOf(node)} rejected the admin token; an administrator must set the token of the daemon with PUT /node/<node>/obmd`,
  );
};

const failed = (node: ObmAdmin | ObmAccess, status: number, reason: string | null): CorralError => {
  const daemon = `the OBM daemon at ${originOf(node)}`;
  if (status === 404)
    return obmFailed(
      `${daemon} does not know this node; register its BMC first: corral bmc register, or PUT /node/<node>/bmc`,
    );
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

/** What was thrown stays here: it can carry the URL with the token, or the answer with it. Only its code goes on. */
const unanswered = (node: ObmAdmin | ObmAccess, timeoutMs: number, error: unknown): CorralError => {
  const { kind, code, cause } = httpFaultOf(error);
  const known = [error, cause].find((one) => one instanceof CorralError);
  if (known !== undefined) return known;
  if (cause instanceof AddressRefused) return notPermitted(node, cause);
  const options = { cause: new Error(code) };
  const daemon = `the OBM daemon at ${originOf(node)}`;
  if (kind === 'late') {
    return obmFailed(`${daemon} did not answer within ${timeoutMs / 1000} s; ${checkOf(node)}`, options);
  }
  if (kind === 'too long') return unexpected(node, 'sent a response that is too large');
  if (kind === 'untrusted') {
    return obmFailed(
      `the certificate of ${daemon} is not trusted here (${code}); set obm.ca to the authority that it is from`,
      options,
    );
  }
  return obmFailed(`${daemon} cannot be reached (${code}); ${checkOf(node)}`, options);
};

/** What to do about a daemon that does not answer. */
const checkOf = ({ isInside }: ObmAdmin | ObmAccess): string =>
  isInside === true
    ? 'if the process that has the BMCs has died, another one takes over within 10 seconds: try again; otherwise check that it can be reached from here (obmd.url)'
    : 'check that it runs and can be reached';

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
