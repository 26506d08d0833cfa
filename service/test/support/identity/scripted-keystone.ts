import {
  createServer as createPlain,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { labCertificate, labKey } from '@corral/lab';
import { onTestFinished } from 'vitest';

/** An answer; `drop` the line; or `hang`: take the question and never answer. */
export type Reaction =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'drop'
  | 'hang';

/** A stand-in for Keystone's calls about tokens, that answers as the test wants. */
export interface ScriptedKeystone {
  readonly url: string;
  readonly service: { readonly name: string; readonly password: string; readonly project: string };
  /** How often the service logged in. */
  readonly logins: readonly unknown[];
  /** Every question about a token. */
  readonly questions: readonly { readonly own: string | undefined; readonly subject: string }[];
  /** How many questions wait for an answer. */
  readonly waiting: number;
  /** To a log-in; `good` until told otherwise. */
  logIn: (good: Reaction) => Reaction | Promise<Reaction>;
  /** To a question about a token; `good` until told otherwise. */
  describe: (subject: string, good: Reaction) => Reaction | Promise<Reaction>;
}

interface ScriptOptions {
  readonly tls?: boolean;
}

/** What Keystone says of a token that is for a project. */
export const describedToken = (changes: object = {}): object => ({
  methods: ['password'],
  user: { id: 'u1', name: 'alice', domain: { id: 'default', name: 'Default' }, password_expires_at: null },
  audit_ids: ['a'],
  issued_at: new Date().toISOString(),
  expires_at: inSeconds(3600),
  project: { id: 'red', name: 'Red', domain: { id: 'default', name: 'Default' } },
  is_domain: false,
  roles: [{ id: 'r1', name: 'member' }],
  ...changes,
});

/** A time as Keystone writes it. */
export const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

/** Starts one on loopback, which ends with the test. */
export const startScriptedKeystone = async (options: ScriptOptions = {}): Promise<ScriptedKeystone> => {
  const script = await openScriptedKeystone(options);
  onTestFinished(script.close);
  return script;
};

/** The same for a whole suite, which closes it. */
export const openScriptedKeystone = async ({ tls = false }: ScriptOptions = {}): Promise<
  ScriptedKeystone & { readonly close: () => void }
> => {
  const logins: unknown[] = [];
  const questions: { own: string | undefined; subject: string }[] = [];
  const script = {
    url: '',
    service: { name: 'corral', password: 'own password', project: 'service' },
    logins,
    questions,
    waiting: 0,
    logIn: (good: Reaction): Reaction | Promise<Reaction> => good,
    describe: (_: string, good: Reaction): Reaction | Promise<Reaction> => good,
  };
  const react = async (request: IncomingMessage): Promise<Reaction> => {
    if (!request.url?.startsWith('/v3/auth/tokens')) return { status: 418 };
    if (request.method === 'POST') {
      logins.push(JSON.parse(await textOf(request)));
      const headers = { 'x-subject-token': `own-${logins.length}` };
      return script.logIn({ status: 201, headers, body: { token: describedToken() } });
    }
    const subject = String(request.headers['x-subject-token']);
    questions.push({ own: request.headers['x-auth-token']?.toString(), subject });
    return script.describe(subject, { status: 200, body: { token: describedToken() } });
  };
  const serve: RequestListener = (request, response) => {
    script.waiting += 1;
    response.once('close', () => (script.waiting -= 1));
    void react(request).then((reaction) => answer(response, reaction));
  };
  const server = tls ? createTls({ cert: labCertificate, key: labKey }, serve) : createPlain(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  script.url = `http${tls ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}/v3`;
  return Object.assign(script, {
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
};

const answer = (response: ServerResponse, reaction: Reaction): void => {
  if (reaction === 'hang') return;
  if (reaction === 'drop') {
    response.destroy();
    return;
  }
  const { status, body = '', headers = {} } = reaction;
  response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
};

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};
