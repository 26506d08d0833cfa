/** What a PostgreSQL server says to its client, byte by byte: for servers that misbehave as no real one can be made to. */
const message = (type: string, body: string): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(Buffer.byteLength(body) + 4, 1);
  return Buffer.concat([head, Buffer.from(body)]);
};

const ready = message('Z', 'I');

/** To any login. */
export const welcome = Buffer.concat([message('R', '\0\0\0\0'), ready]);

/** A statement is done. */
export const done = (command: string): Buffer => Buffer.concat([message('C', `${command}\0`), ready]);

/** The server is being shut down. */
export const farewell = message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
