import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AllowList } from '../../src/http/allow-list.ts';
import { HttpClient, describeOrigin } from '../../src/http/http-client.ts';
import { HttpFault } from '../../src/http/http-fault.ts';
import { AddressRefused, Outbound, type Resolve } from '../../src/http/outbound.ts';

interface Place {
  readonly port: number;
  /** How often somebody connected, whatever they said then. */
  readonly visits: () => number;
}

const listenAt = async (address: string, port = 0): Promise<Place> => {
  let visits = 0;
  const server: Server = createServer((_request, response) => void response.end(address));
  server.on('connection', () => (visits += 1));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, visits: () => visits };
};

/** Two places with the same port: where we are wanted, and where somebody would like to have us. */
const makePlaces = async () => {
  const good = await listenAt('127.0.0.1');
  return { good, trap: await listenAt('127.0.0.2', good.port), port: good.port };
};

const at = (address: string) => ({ address, family: address.includes(':') ? 6 : 4 });

/** Answers with the next list each time, and with the last for ever. */
const answering = (...answers: readonly (readonly string[])[]): Resolve & { asked: () => readonly string[] } => {
  const asked: string[] = [];
  const resolve: Resolve = (host) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(host);
    return Promise.resolve(answer.map(at));
  };
  return Object.assign(resolve, { asked: () => asked });
};

const outboundTo = (allow: readonly string[], resolve?: Resolve): Outbound =>
  new Outbound({
    allow: AllowList.from(allow, (entry) => {
      throw new Error(`${entry} is no entry`);
    }),
    setting: 'the.list',
    ...(resolve === undefined ? {} : { resolve }),
  });

describe('an HTTP client', () => {
  const ask = async (url: string, outbound: Outbound): Promise<string> => {
    // Every request on a connection of its own.
    const http = new HttpClient({ outbound, largestAnswer: 1000, connections: 1, keepAlive: false });
    const request = { method: 'GET', ...describeOrigin(new URL(url)) } as const;
    try {
      return (await http.request(request, AbortSignal.timeout(10_000))).text;
    } catch (error) {
      throw error instanceof HttpFault ? error.cause : error;
    } finally {
      await http.close();
    }
  };
  const refusalOf = async (url: string, outbound: Outbound): Promise<AddressRefused> => {
    const error: unknown = await ask(url, outbound).catch((thrown: unknown) => thrown);
    if (!(error instanceof AddressRefused)) throw new Error(`it was ${String(error)}`);
    return error;
  };

  it('a connection goes to the address that was judged, and a name that changes meanwhile is checked again', async () => {
    const { good, trap, port } = await makePlaces();
    const resolve = answering(['127.0.0.1'], ['127.0.0.2']);
    const outbound = outboundTo(['127.0.0.1'], resolve);
    expect(await ask(`http://bmc.example.org:${port}/`, outbound)).toBe('127.0.0.1');
    expect(resolve.asked()).toEqual(['bmc.example.org']);
    const refused = await refusalOf(`http://bmc.example.org:${port}/`, outbound);
    expect(refused.message).toMatch(
      /^bmc\.example\.org resolves to 127\.0\.0\.2, and connections there are not allowed; .* add it to the\.list$/,
    );
    expect([good.visits(), trap.visits()]).toEqual([1, 0]);
  });

  it.each([
    ['before', ['127.0.0.2', '127.0.0.1']],
    ['after', ['127.0.0.1', '127.0.0.2']],
    ['in the clothes of IPv6', ['::ffff:127.0.0.2', '127.0.0.1']],
  ])(
    'of several addresses only those are tried that are permitted; the other one comes %s',
    async (_order, addresses) => {
      const { good, trap, port } = await makePlaces();
      expect(await ask(`http://bmc.example.org:${port}/`, outboundTo(['127.0.0.1'], answering(addresses)))).toBe(
        '127.0.0.1',
      );
      expect([good.visits(), trap.visits()]).toEqual([1, 0]);
    },
  );

  it('an address that is not permitted is no way out if the permitted one does not answer', async () => {
    const { trap, port } = await makePlaces();
    const outbound = outboundTo(['127.0.0.3'], answering(['127.0.0.3', '127.0.0.2']));
    await expect(ask(`http://bmc.example.org:${port}/`, outbound)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(trap.visits()).toBe(0);
  });

  it.each([
    '127.0.0.2',
    '127.0.0.2.',
    '127.2',
    '0x7f.0.0.2',
    '0x7f000002',
    '2130706434',
    '0177.0.0.02',
    '[::ffff:127.0.0.2]',
    '[::ffff:7f00:2]',
    '[0:0:0:0:0:ffff:7f00:0002]',
    '127.0.0.2%2e',
    '１２７.0.0.2',
  ])('%s is judged by what it connects to', async (host) => {
    const { trap, port } = await makePlaces();
    const refused = await refusalOf(`http://${host}:${port}/`, outboundTo(['127.0.0.1']));
    expect(refused.message).toMatch(/^connections to 127\.0\.0\.2 are not allowed; .*the\.list$/);
    expect(trap.visits()).toBe(0);
    expect(await ask(`http://${host}:${port}/`, outboundTo(['127.0.0.2']))).toBe('127.0.0.2');
  });

  it.each(['http://0:1/', 'http://[::]:1/', 'http://169.254.169.254/', 'http://0xa9fea9fe/', 'http://[fe80::1]/'])(
    'without a list nothing goes to %s either',
    (url) => refusalOf(url, outboundTo([])).then(({ host }) => expect(host).not.toBe('')),
  );

  it.each(['169.254.169.254', '::ffff:a9fe:a9fe', 'fd00:ec2::254', 'fe80::1%lo', '0.0.0.0', '255.255.255.255'])(
    'without a list nothing goes to a name that is at %s',
    async (address) => {
      const { message } = await refusalOf('http://innocent.example/', outboundTo([], answering([address])));
      expect(message).toMatch(/^innocent\.example resolves to /);
    },
  );

  it('a host of the list may be anywhere, written with the dot of the root too', async () => {
    const { port } = await makePlaces();
    for (const host of ['bmc.example.org', 'bmc.example.org.', 'BMC.EXAMPLE.ORG']) {
      const outbound = outboundTo(['bmc.example.org'], answering(['127.0.0.2']));
      expect(await ask(`http://${host}:${port}/`, outbound)).toBe('127.0.0.2');
    }
  });

  it('a name that nobody knows fails as ever', async () => {
    const nobody: Resolve = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
    await expect(ask('http://bmc.example.org/', outboundTo([], nobody))).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});

describe('the addresses of a host', () => {
  it.each(['127.2', '0x7f.2', '2130706434', '0177.0.0.2'])('are those of the system for %s', async (host) => {
    await expect(outboundTo(['127.0.0.1']).addressesOf(host)).rejects.toMatchObject({ addresses: ['127.0.0.2'] });
    expect(await outboundTo(['127.0.0.2']).addressesOf(host)).toEqual([at('127.0.0.2')]);
  });

  it('are not waited for any longer than it takes', async () => {
    const never: Resolve = () => new Promise(() => undefined);
    const stop = new AbortController();
    const asked = outboundTo([], never).addressesOf('bmc.example.org', stop.signal);
    stop.abort(new Error('too late'));
    await expect(asked).rejects.toThrow('too late');
    await expect(outboundTo([], never).addressesOf('bmc.example.org', stop.signal)).rejects.toThrow('too late');
  });

  it('are all named if none of them is permitted', async () => {
    const outbound = outboundTo(['10.0.0.0/8'], answering(['127.0.0.1', '::ffff:127.0.0.2', '::1']));
    await expect(outbound.addressesOf('bmc.example.org')).rejects.toThrow('resolves to 127.0.0.1, 127.0.0.2, ::1, and');
  });
});
