import { describe, expect, it } from 'vitest';
import { Deframer, framed, type Framing } from '../../src/drivers/switches/netconf/netconf-framing.ts';
import { RpcRefused, rpcErrorsIn } from '../../src/drivers/switches/netconf/rpc-error.ts';
import { parseXml } from '../../src/drivers/switches/device-xml.ts';

const piecesOf = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

const messagesIn = (pieces: readonly Buffer[], framing: Framing): string[] => {
  const deframer = new Deframer();
  deframer.framing = framing;
  return pieces.flatMap((piece) => {
    deframer.push(piece);
    const messages: string[] = [];
    for (let message = deframer.next(); message !== null; message = deframer.next()) messages.push(message);
    return messages;
  });
};

describe('framing', () => {
  const messages = ['<hello/>', '<a>größer\n#5\n]]>]] 🐎</a>', `<b>${'x'.repeat(5000)}</b>`];

  it.each([1, 2, 3, 5, 7, 64, 100_000])('finds messages that come in pieces of %i bytes', (size) => {
    for (const framing of ['end-of-message', 'chunked'] as const) {
      const bytes = Buffer.from(messages.map((message) => framed(message, framing)).join(''));
      expect(messagesIn(piecesOf(bytes, size), framing).map((message) => message.trim())).toEqual(messages);
    }
  });

  it('joins chunks, also where one ends inside a character', () => {
    const bytes = Buffer.from('<a>ü</a>');
    const stream = Buffer.concat([
      ...[bytes.subarray(0, 4), bytes.subarray(4)].flatMap((chunk) => [Buffer.from(`\n#${chunk.length}\n`), chunk]),
      Buffer.from('\n##\n'),
    ]);
    for (const size of [1, 4, 100]) expect(messagesIn(piecesOf(stream, size), 'chunked')).toEqual(['<a>ü</a>']);
  });

  it('changes from one to the other between two messages', () => {
    const deframer = new Deframer();
    deframer.push(Buffer.from(`${framed('<hello/>', 'end-of-message')}\n`));
    expect(deframer.next()?.trim()).toBe('<hello/>');
    deframer.framing = 'chunked';
    expect(deframer.next()).toBeNull();
    deframer.push(Buffer.from(framed('<a/>', 'chunked')));
    expect(deframer.next()).toBe('<a/>');
    expect(deframer.next()).toBeNull();
  });

  it.each([
    '<a/>',
    '\n#0\n',
    '\n#05\n<a/>x',
    '\n##\n',
    '\n#x\n',
    '\n#99999999999\n',
    '\n#4294967295\n',
    '\n#1234567890123',
  ])('takes no nonsense for a chunk: %j', (bytes) => {
    expect(() => messagesIn([Buffer.from(bytes)], 'chunked')).toThrow(/NETCONF/);
  });
});

describe('the complaints in a reply', () => {
  const reply = parseXml(`<rpc-reply message-id="1"><commit-results>
<rpc-error><error-severity>warning</error-severity><error-message>mgd: requires 'bgp' license</error-message></rpc-error>
<routing-engine><name>fpc0</name><rpc-error><error-tag>operation-failed</error-tag>
<error-path>\n[edit interfaces ge-0/0/3]\n</error-path><error-message>\nno\n  way\n</error-message>
<error-info><bad-element>unit 0</bad-element></error-info></rpc-error></routing-engine></commit-results><ok/></rpc-reply>`);

  it('are found inside the results of the device, warnings apart', () => {
    expect(rpcErrorsIn(reply).map(({ severity }) => severity)).toEqual(['warning', 'error']);
    expect(rpcErrorsIn(reply)[1]).toEqual({
      severity: 'error',
      tag: 'operation-failed',
      path: '[edit interfaces ge-0/0/3]',
      message: 'no way',
      badElement: 'unit 0',
    });
  });

  it('are reported in the words of the device', () => {
    expect(new RpcRefused('commit', rpcErrorsIn(reply).slice(1)).message).toBe(
      'the device refuses commit: no way ([edit interfaces ge-0/0/3] unit 0)',
    );
  });
});
