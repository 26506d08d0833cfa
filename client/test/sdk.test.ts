import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { engines } from '../../service/test/support/services/engines.ts';
import { adminPassword, passwordOf, serviceForTest } from '../../service/test/support/services/service.ts';
import { makeNode, makeProject, makeUser } from '../../service/test/support/services/world.ts';
import {
  ActionFailedError,
  AuthorizationError,
  basic,
  BlockedError,
  createClient,
  DuplicateError,
  NotFoundError,
  ProtocolError,
  TimedOutError,
  UnreachableError,
  type ClientOptions,
  type Fetch,
} from '../src/index.ts';
import { nodeFetch } from '../src/cli/node-fetch.ts';

const adminOf = (url: string) => createClient({ endpoint: url, credentials: basic('admin', adminPassword) });

describe.each(engines)('the SDK, on %s', (engine) => {
  it('makes calls by their names, with one object of arguments wherever they go', async () => {
    const service = await serviceForTest(engine);
    const corral = adminOf(service.url);
    await corral.projectCreate({ project: 'rød & blå' });
    expect(await corral.listProjects()).toEqual(['rød & blå']);
    await corral.switchRegister({ switch: 'sw', type: 'mock', hostname: 'h', username: 'u', password: 'p' });
    await corral.switchRegisterPort({ switch: 'sw', port: 'gi1/0/11' });
    expect((await corral.showSwitch({ switch: 'sw' })).ports).toEqual(['gi1/0/11']);
    await corral.networkCreate({ network: 'n', owner: 'admin', access: '', net_id: '' });
    expect(await corral.listNetworkAttachments({ network: 'n', project: 'rød & blå' })).toEqual({});
    await corral.projectDelete({ project: 'rød & blå' });
    expect(await corral.listProjects()).toEqual([]);
  });

  it('throws the interface’s own errors, with the sentence of the service', async () => {
    const service = await serviceForTest(engine);
    const corral = adminOf(service.url);
    await makeProject(service, 'red');
    await expect(corral.projectCreate({ project: 'red' })).rejects.toThrow(DuplicateError);
    await expect(corral.projectCreate({ project: 'red' })).rejects.toThrow('project red already exists');
    const failure = await corral.showNode({ node: 'none' }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NotFoundError);
    expect(failure).toMatchObject({
      type: 'NotFoundError',
      status: 404,
      requestId: expect.stringContaining('-') as string,
    });
    const nobody = createClient({ endpoint: service.url });
    await expect(nobody.listProjects()).rejects.toThrow(AuthorizationError);
    const wrong = createClient({ endpoint: `${service.url}/v0/`, credentials: basic('admin', 'wrong') });
    await expect(wrong.listProjects()).rejects.toThrow('wrong user name or password');
  });

  it('waits for a queued change, and tells why one failed', async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'red');
    await makeUser(service, 'ada', 'red');
    await makeNode(service, 'n1', ['eth0']);
    const corral = createClient({ endpoint: service.url, credentials: basic('ada', passwordOf('ada')) });
    await corral.projectConnectNode({ project: 'red', node: 'n1' });
    await corral.networkCreate({ network: 'lab', owner: 'red', access: 'red', net_id: '' });
    const { status_id } = await corral.nodeConnectNetwork({ node: 'n1', nic: 'eth0', network: 'lab' });
    expect(await corral.waitForAction(status_id)).toMatchObject({ status: 'DONE', new_network: 'lab' });
    const asked: string[] = [];
    const counting: Fetch = (url, init) => {
      asked.push(new URL(url).pathname);
      return fetch(url, init);
    };
    const silent = createClient({
      endpoint: service.url,
      credentials: basic('ada', passwordOf('ada')),
      fetch: counting,
    });
    expect(await silent.waitForAction(status_id, { listens: false })).toMatchObject({ status: 'DONE' });
    expect(new Set(asked)).toEqual(new Set([`/v0/networking_action/${status_id}`]));
    await expect(corral.projectDetachNode({ project: 'red', node: 'n1' })).rejects.toThrow(BlockedError);

    service.simulated('sw0').faults = { refuse: ['*'] };
    const second = await corral.nodeDetachNetwork({ node: 'n1', nic: 'eth0', network: 'lab' });
    await expect(corral.waitForAction(second.status_id)).rejects.toThrow(ActionFailedError);
    await expect(corral.waitForAction(status_id)).rejects.toThrow(/a later one on the same nic replaced it/);
  });
});

/** A server that answers what it is told, and counts. */
const answering = async (
  answer: (count: number) => { status: number; body?: string; headers?: Record<string, string> } | null,
) => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const told = answer(seen.length);
    if (told === null) request.socket.destroy();
    else response.writeHead(told.status, told.headers).end(told.body ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const busy = {
  status: 429,
  body: '{"type": "TooManyRequestsError", "msg": "slow down"}',
  headers: { 'retry-after': '0' },
};

/** Node's own, and what the command line has instead. */
const fetchers: readonly (readonly [string, { readonly fetch?: Fetch }])[] = [
  ['fetch', {}],
  ['node:http', { fetch: nodeFetch }],
];

describe('the SDK', () => {
  it('takes no endpoint with a password in it, and does not repeat that', () => {
    const refused = (endpoint: string) => expect(() => createClient({ endpoint }));
    refused('http://admin:pa55word@127.0.0.1:9').toThrow(
      new TypeError('the endpoint holds a user name or a password; pass credentials separately'),
    );
    refused('https://corral.example.org/?key=pa55word').toThrow(/^the endpoint holds a query or a fragment[^5]*$/);
    expect(createClient({ endpoint: 'https://corral.example.org/v0/' }).endpoint).toBe('https://corral.example.org');
  });
});

describe.each(fetchers)('the SDK by %s, when the line is bad,', (_name, by) => {
  const clientOf = (options: ClientOptions) => createClient({ ...by, ...options });

  it('asks again for what changes nothing, and does not repeat what may have been done', async () => {
    const flaky = await answering((count) => (count === 1 ? null : { status: 200, body: '[]' }));
    expect(await clientOf({ endpoint: flaky.url }).listProjects()).toEqual([]);
    expect(flaky.seen).toHaveLength(2);

    const dropped = await answering(() => null);
    const created = clientOf({ endpoint: dropped.url }).projectCreate({ project: 'red' });
    await expect(created).rejects.toThrow(UnreachableError);
    await expect(created).rejects.toMatchObject({ sent: true });
    expect(dropped.seen).toEqual(['PUT /v0/project/red']);
  });

  it('repeats no change that may have been made: not after 502, nor after a time-out', async () => {
    const failing = { status: 502, body: '{"type": "OBMError", "msg": "the daemon does not answer"}' };
    const changing = await answering(() => failing);
    const corral = clientOf({ endpoint: changing.url });
    await expect(corral.nodePowerCycle({ node: 'n1' })).rejects.toThrow('the daemon does not answer');
    expect(changing.seen).toEqual(['POST /v0/node/n1/power_cycle']);

    const asking = await answering((count) => (count === 1 ? failing : { status: 200, body: '[]' }));
    expect(await clientOf({ endpoint: asking.url }).listProjects()).toEqual([]);
    expect(asking.seen).toHaveLength(2);

    const seen: string[] = [];
    const silent = createServer(({ method = '' }) => void seen.push(method));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const impatient = clientOf({ endpoint, timeoutMs: 100, retries: 1 });
    await expect(impatient.projectCreate({ project: 'red' })).rejects.toThrow(TimedOutError);
    await expect(impatient.listProjects()).rejects.toThrow(TimedOutError);
    // One limit for a call: there is no time left for another try.
    expect(seen).toEqual(['PUT', 'GET']);
  });

  it('has one time limit for a call, whatever is tried within it', async () => {
    const failing = { status: 502, body: '{"type": "OBMError", "msg": "the daemon does not answer"}' };
    const slow = await answering(() => failing);
    const impatient = clientOf({ endpoint: slow.url, timeoutMs: 50, retries: 1_000 });
    // Either the last failure, or that the time is over.
    await expect(impatient.listProjects()).rejects.toThrow(/does not answer|did not answer within 0\.05 s/);
    expect(slow.seen.length).toBeLessThan(5);
    const never = await answering(() => ({ ...busy, headers: { 'retry-after': '9' } }));
    const asked = clientOf({ endpoint: never.url, timeoutMs: 5_000, retries: 5 }).listProjects();
    await expect(asked).rejects.toThrow('slow down');
    expect(never.seen).toHaveLength(1);
  });

  it('does not ask a device again that the service has waited for', async () => {
    const clock = performance.now.bind(performance);
    let passed = 0;
    const spy = vi.spyOn(performance, 'now').mockImplementation(() => clock() + passed);
    onTestFinished(() => spy.mockRestore());
    const hung = await answering(() => {
      passed += 15_000;
      return { status: 502, body: '{"type": "OBMError", "msg": "the BMC did not answer within 15 s"}' };
    });
    await expect(clientOf({ endpoint: hung.url }).nodePowerStatus({ node: 'n1' })).rejects.toThrow('within 15 s');
    expect(hung.seen).toHaveLength(1);
  });

  it('makes a change again that the service refused to look at for now', async () => {
    const calm = await answering((count) => (count < 3 ? busy : { status: 200 }));
    await clientOf({ endpoint: calm.url }).projectCreate({ project: 'red' });
    expect(calm.seen).toHaveLength(3);
    const never = await answering(() => busy);
    await expect(clientOf({ endpoint: never.url, retries: 1 }).listProjects()).rejects.toThrow('slow down');
    expect(never.seen).toHaveLength(2);
  });

  it('says that nobody is there, that it takes too long, or that it is something else', async () => {
    const gone = await answering(() => null);
    const nobody = clientOf({ endpoint: 'http://127.0.0.1:9', retries: 0 }).listProjects();
    await expect(nobody).rejects.toThrow(UnreachableError);
    expect(gone.seen).toEqual([]);

    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await expect(clientOf({ endpoint, timeoutMs: 50, retries: 0 }).listProjects()).rejects.toThrow(TimedOutError);

    const page = await answering(() => ({ status: 200, body: '<html>' }));
    await expect(clientOf({ endpoint: page.url }).listProjects()).rejects.toThrow(ProtocolError);
    const moved = await answering(() => ({ status: 302, headers: { location: 'http://127.0.0.1:9/' } }));
    await expect(clientOf({ endpoint: moved.url }).listProjects()).rejects.toThrow(/redirects/);
  });

  it('does not wait for ever for the rest of an answer or of a refusal, unless it streams', async () => {
    const server = createServer(({ url = '', method }, response) => {
      response.writeHead(method === 'PUT' ? 409 : 200);
      response.write('[');
      if (url.endsWith('/console')) setTimeout(() => response.end(']'), 200);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const corral = clientOf({ endpoint, timeoutMs: 100, retries: 1 });
    await expect(corral.listProjects()).rejects.toThrow(TimedOutError);
    await expect(corral.projectCreate({ project: 'red' })).rejects.toThrow('did not answer within 0.1 s');
    const seen: string[] = [];
    for await (const bytes of await corral.showConsole({ node: 'n1' })) seen.push(Buffer.from(bytes).toString());
    expect(seen).toEqual(['[', ']']);
  });

  it('refuses what is no address of a service, before anything is asked', () => {
    for (const endpoint of ['127.0.0.1:5000', 'ftp://corral.example.org', '', undefined as unknown as string]) {
      expect(() => createClient({ endpoint })).toThrow('the endpoint is not a URL; expected one such as https://');
    }
  });

  it('waits as long as requested, also for ever', async () => {
    const server = createServer((_request, response) => void setTimeout(() => response.end('["red"]'), 100));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await clientOf({ endpoint, timeoutMs: Infinity }).listProjects()).toEqual(['red']);
    expect(await clientOf({ endpoint, timeoutMs: 2 ** 40 }).listProjects()).toEqual(['red']);
  });

  it('tells an answer that breaks off as a broken line, and asks again where that is safe', async () => {
    const asked: string[] = [];
    const server = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.writeHead(200, { 'content-length': '100' });
      response.write('[', () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(clientOf({ endpoint, retries: 1 }).listProjects()).rejects.toThrow(UnreachableError);
    expect(asked).toHaveLength(2);
  });

  it('stops when it is aborted', async () => {
    const stop = new AbortController();
    const slow = await answering((count) => {
      if (count === 1) stop.abort(new Error('enough'));
      return null;
    });
    const asked = clientOf({ endpoint: slow.url }).listProjects({}, { signal: stop.signal });
    await expect(asked).rejects.toThrow('enough');
  });

  it('takes a stream up where it broke', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      const after = request.headers['last-event-id'];
      asked.push(typeof after === 'string' ? after : undefined);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: {"id": ${asked.length}, "type": "node_register", "node": "n${asked.length}"}\n\n`, () =>
        request.socket.destroy(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const seen: (string | null)[] = [];
    for await (const { node } of clientOf({ endpoint }).followEvents()) {
      seen.push(node ?? null);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(['n1', 'n2']);
    expect(asked).toEqual([undefined, '1']);
  });

  it('tells that everybody’s lists have changed, and takes such a hint for no event', async () => {
    let opened = 0;
    const server = createServer((request, response) => {
      opened += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // What a service may say one day is no event either.
      const hints = ': connected\n\nevent: changed\n\nevent: something_new\n\n';
      const event = `id: ${opened}\nevent: node_register\ndata: {"id": ${opened}, "type": "node_register"}\n\n`;
      // The first breaks off before any event.
      response.write(opened === 1 ? hints : `${hints}${event}`, () => request.socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const said: string[] = [];
    const onOpen = (): void => void said.push('open');
    const onChanged = (): void => void said.push('changed');
    for await (const { id } of clientOf({ endpoint }).followEvents({ onOpen, onChanged })) {
      said.push(`event ${id}`);
      if (id === 3) break;
    }
    // The second time nobody knows what was missed: it is taken for a change.
    expect(said).toEqual([
      ...['open', 'changed'],
      ...['open', 'changed', 'changed', 'event 2'],
      ...['open', 'changed', 'event 3'],
    ]);
    for await (const { id } of clientOf({ endpoint }).followEvents()) {
      expect(id).toBe(4);
      break;
    }
  });

  it('sends a body with every method, whole and as it is', async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        bodies.push(`${request.method ?? ''} ${Buffer.concat(chunks).toString()}`);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const corral = clientOf({ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    await corral.nodeSetMetadata({ node: 'n', label: 'l', value: '天文学' });
    await corral.userSetAdmin({ username: 'ada', is_admin: true });
    await corral.projectCreate({ project: 'red' });
    await corral.projectDelete({ project: 'red' });
    expect(bodies).toEqual(['PUT {"value":"天文学"}', 'PATCH {"is_admin":true}', 'PUT ', 'DELETE ']);
  });
});
