import { connect } from 'node:net';

/** An answer as it came over the wire. */
export interface Reply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

const endOfHead = '\r\n\r\n';

/**
 * Sends these very bytes and reads one answer; of an answer without an end only the head. null: the other
 * side hung up without a word. Takes longer than `limitMs`: an error.
 */
export const exchange = (url: string, bytes: Buffer, limitMs: number): Promise<Reply | null> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    const timer = setTimeout(() => finish(() => reject(new Error(`no answer within ${limitMs} ms`))), limitMs);
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    const hungUp = (): void => finish(() => resolve(received.length === 0 ? null : replyOf(received)));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (isEndless(received)) hungUp();
    });
    socket.on('end', hungUp);
    // A server that refuses a body before it has all of it resets the line after its answer.
    socket.on('error', hungUp);
    socket.write(bytes);
  });

const isEndless = (received: Buffer): boolean => {
  const head = headOf(received);
  return head !== null && /^content-type: (text\/event-stream|application\/octet-stream)/im.test(head);
};

const headOf = (received: Buffer): string | null => {
  const end = received.indexOf(endOfHead);
  return end < 0 ? null : received.subarray(0, end).toString('latin1');
};

const replyOf = (received: Buffer): Reply => {
  const head = headOf(received) ?? received.toString('latin1');
  const rest = received.subarray(head.length + endOfHead.length);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
  if (status === 100) return replyOf(rest);
  const headers = new Map(
    lines.map((line) => [line.split(': ')[0]?.toLowerCase() ?? '', line.split(': ').slice(1).join(': ')]),
  );
  return { status, headers, text: rest.toString() };
};
