import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ovsSwitch } from '../../src/drivers/switches/ovs/ovs-driver.ts';
import { JsonStream } from '../../src/drivers/switches/ovs/json-stream.ts';
import { carriedUnder } from '../../src/drivers/switches/ovs/ovs-vlans.ts';
import { everything } from '../../src/drivers/switches/vlan-lists.ts';
import { checkOf, inBody } from '@corral/base/schema/schema-check';

describe('a stream of JSON texts', () => {
  const texts = ['{"a":["}{",{"b":"\\\\"}]}', '[]', '{"é":"\\"[","ü":{"x":[1,2]}}', ' \n{"last":null}'];
  const values = texts.map((text) => JSON.parse(text) as unknown);

  it('is cut at their ends, wherever it was cut on the way', () => {
    const bytes = Buffer.from(texts.join(''));
    for (let size = 1; size <= bytes.length; size += 1) {
      const stream = new JsonStream();
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(chunks.flatMap((chunk) => stream.push(chunk))).toEqual(values);
    }
  });

  it.each(['HTTP/1.1 400 Bad Request', '{"a":tru}', ']', 'null'])('is not %s', (text) => {
    expect(() => new JsonStream().push(Buffer.from(text))).toThrow('not JSON');
  });
});

describe('the line to a database', () => {
  let server: Server | undefined;
  const lines = new Set<Socket>();
  afterEach(async () => {
    for (const line of lines) line.destroy();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
  });

  /** A database that is told what to do with what it hears. */
  const callWith = async (serve: (line: Socket, heard: string) => void) => {
    const made = createServer((line) => {
      lines.add(line);
      line.on('error', () => undefined);
      line.on('data', (bytes) => serve(line, bytes.toString()));
    });
    server = made;
    await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
    const address = made.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const config = { ovs_bridge: 'br0', ovsdb: `tcp:127.0.0.1:${port}` };
    return ovsSwitch.open({ label: 'sw', config }, AbortSignal.timeout(2_000));
  };
  const bridge = [{ rows: [{ ports: ['set', []], controller: ['set', []], mirrors: ['set', []] }] }];
  const readable = [...bridge, { rows: [{ next_cfg: 1, cur_cfg: 1 }] }, { rows: [] }, { rows: [] }];
  const answer = (result: unknown, error: unknown = null) => JSON.stringify({ id: 0, result, error });

  it('answers the echo of the database, which would close the connection otherwise', async () => {
    let echoed = '';
    const session = await callWith((line, heard) => {
      if (heard.includes('transact')) line.write('{"method":"echo","id":"echo","params":["still there?"]}');
      else {
        echoed = heard;
        line.write(answer(readable));
      }
    });
    expect(JSON.parse(echoed)).toEqual({ id: 'echo', result: ['still there?'], error: null });
    await session.close();
  });

  it.each<[string, string, string]>([
    ['is no database', 'SSH-2.0-OpenSSH_9.2\r\n', 'not JSON: "S"'],
    ['does not have the Open vSwitch schema', answer(null, { error: 'unknown database' }), 'unknown database'],
    ['answers a question that nobody asked', '{"id":7,"result":[],"error":null}', 'something unexpected: {"id":7'],
    ['gives too few answers', answer([]), 'something unexpected: []'],
    ['lacks a column', answer([{ error: 'unknown column', details: 'No column cvlans' }]), 'No column cvlans'],
    [
      'has a row without numbers',
      answer([...bridge, { rows: [{}] }, { rows: [] }, { rows: [] }]),
      'something unexpected: null',
    ],
  ])('is a fault when the other end %s', async (_, said, complaint) => {
    await expect(callWith((line) => line.write(said))).rejects.toThrow(complaint);
  });

  it('is a fault when the other end closes', async () => {
    await expect(callWith((line) => line.end())).rejects.toThrow('the database closed the connection');
  });
});

describe('what a port of an Open vSwitch passes', () => {
  it('is everything in a mode of a later version', () => {
    const columns = { vlan_mode: 'dot1q-wormhole', tag: 100, trunks: [5], cvlans: [], protected: false };
    expect(carriedUnder(columns)).toEqual({ ...everything, unclear: 'vlan_mode=dot1q-wormhole tag=100 cvlans=' });
  });
});

describe('the fields and names of an Open vSwitch', () => {
  const check = checkOf(ovsSwitch.config, inBody);

  it.each(['unix:/run/ovs/db.sock', 'tcp:sw1.example.org:6640', 'ssl:10.0.0.1:6640', 'tcp:[fe80::1]:6640'])(
    'take the address %s',
    (ovsdb) => expect(check({ ovs_bridge: 'br0', ovsdb })).toEqual([]),
  );

  it.each(['unix:relative', 'tcp:sw1', 'udp:sw1:6640', 'tcp:a b:1', 'ptcp:6640', 'unix:/a\nb', ''])(
    'do not take the address %j',
    (ovsdb) => expect(check({ ovs_bridge: 'br0', ovsdb })).not.toEqual([]),
  );

  it('need the bridge alone', () => {
    expect(check({ ovs_bridge: 'br0' })).toEqual([]);
    expect(check({})).toEqual([expect.stringContaining('"ovs_bridge" is missing')]);
  });

  it('a port out of range is a fault that says so', async () => {
    const config = { ovs_bridge: 'br0', ovsdb: 'tcp:127.0.0.1:65536' };
    await expect(ovsSwitch.open({ label: 'sw', config }, AbortSignal.timeout(2_000))).rejects.toThrow(
      'is not the address of a database',
    );
  });

  it.each(['eth0', 'vnet12', 'enp3s0f1np1', 'bond0.100', 'tap-7:1', 'x'.repeat(64)])('%s is a port', (name) => {
    expect(ovsSwitch.portName(name)).toBe(name);
  });

  it.each(['', '-x', '.', 'a b', 'a/b', 'a"b', 'é', 'x'.repeat(65), 'p0\n'])('%j is no port', (name) => {
    expect(ovsSwitch.portName(name)).toHaveProperty('refused');
  });
});
