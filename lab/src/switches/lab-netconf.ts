import type { ServerChannel } from 'ssh2';
import { type SshAccount, type SshServer, startSshServer } from './ssh-server.ts';
import { escape, parse, type Xml } from './lab-xml.ts';

/** What a NETCONF device answers with when it says no, or warns. */
export interface Complaint {
  readonly severity?: 'error' | 'warning';
  readonly tag?: string;
  readonly message: string;
  readonly path?: string;
  readonly badElement?: string;
}

/** One caller of a NETCONF device. */
export interface NetconfSession {
  readonly id: number;
}

/** The device behind the protocol. */
export interface NetconfDevice {
  readonly capabilities: readonly string[];
  /** The content of the rpc-reply. */
  answer(session: NetconfSession, operation: Xml): string;
  /** Every call, as it was sent. */
  heard(operation: string): void;
  /** What becomes of a message on its way out. */
  garbled(message: string): string;
  /** The session is over, however that came about. */
  left(session: NetconfSession): void;
}

/** Which ends of messages the device offers: the old mark, or chunks too (RFC 6242). */
export type LabFraming = 'end-of-message' | 'chunked';

const base = 'urn:ietf:params:netconf:base:1';
const mark = ']]>]]>';
/** Small, so that replies come in many chunks. */
const chunkBytes = 1000;

/** Starts a NETCONF server over SSH on loopback. */
export const startNetconfServer = (
  account: SshAccount,
  framing: LabFraming,
  device: NetconfDevice,
): Promise<SshServer> => {
  let lastId = 4710;
  return startSshServer(account, (session, hangUp) => {
    session.on('subsystem', (accept, reject, info) => {
      if (info.name !== 'netconf') return reject();
      serve(accept(), framing, device, { id: ++lastId }, hangUp);
    });
  });
};

const serve = (
  channel: ServerChannel,
  framing: LabFraming,
  device: NetconfDevice,
  session: NetconfSession,
  hangUp: () => void,
): void => {
  let heard = '';
  let isChunked = false;
  let isGreeted = false;
  const say = (words: string): void => {
    const message = device.garbled(words);
    channel.write(isChunked ? chunked(message) : `${message}\n${mark}\n`);
  };
  const take = (message: string): void => {
    const [element] = parse(message);
    if (element?.name === 'hello') {
      isGreeted = true;
      isChunked = framing === 'chunked' && message.includes(`${base}.1`);
      return;
    }
    const operation = element?.children[0];
    if (!isGreeted || element?.name !== 'rpc' || !operation) return hangUp();
    const id = element.attributes['message-id'] ?? '';
    device.heard(/^<rpc[^>]*>(.*)<\/rpc>$/s.exec(message.trim())?.[1] ?? message);
    const reply = (content: string) =>
      `<rpc-reply xmlns="urn:ietf:params:xml:ns:netconf:base:1.0" xmlns:junos="http://xml.juniper.net/junos/21.4R3/junos" message-id="${id}">\n${content}\n</rpc-reply>`;
    if (operation.name === 'close-session') {
      say(reply('<ok/>'));
      return hangUp();
    }
    say(reply(device.answer(session, operation)));
  };
  channel.on('error', () => undefined);
  channel.on('close', () => device.left(session));
  channel.on('data', (bytes: Buffer) => {
    // As latin1 one character is one byte, so that chunk sizes can be counted.
    heard += bytes.toString('latin1');
    for (;;) {
      const next = isChunked ? firstChunked(heard) : firstMarked(heard);
      if (!next) return;
      heard = next.rest;
      take(Buffer.from(next.message, 'latin1').toString('utf8'));
    }
  });
  const offered = [...device.capabilities, `${base}.0`, ...(framing === 'chunked' ? [`${base}.1`] : [])];
  // A Junos device greets like this, jokes included.
  say(`<!-- No zombies were killed during the creation of this user interface -->
<!-- user corral, class j-super-user -->
<hello xmlns="urn:ietf:params:xml:ns:netconf:base:1.0">
  <capabilities>
${offered.map((capability) => `    <capability>${capability}</capability>`).join('\n')}
  </capabilities>
  <session-id>${session.id}</session-id>
</hello>`);
};

const firstMarked = (heard: string): { message: string; rest: string } | null => {
  const end = heard.indexOf(mark);
  return end < 0 ? null : { message: heard.slice(0, end), rest: heard.slice(end + mark.length) };
};

const firstChunked = (heard: string): { message: string; rest: string } | null => {
  let at = 0;
  let message = '';
  for (;;) {
    const header = /^\n#(#|\d+)\n/.exec(heard.slice(at, at + 14));
    if (!header) return null;
    at += header[0].length;
    if (header[1] === '#') return { message, rest: heard.slice(at) };
    const size = Number(header[1]);
    if (heard.length < at + size) return null;
    message += heard.slice(at, at + size);
    at += size;
  }
};

const chunked = (message: string): Buffer => {
  const bytes = Buffer.from(message);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const piece = bytes.subarray(at, at + chunkBytes);
    pieces.push(Buffer.from(`\n#${piece.length}\n`), piece);
  }
  return Buffer.concat([...pieces, Buffer.from('\n##\n')]);
};

/** A complaint as it stands in a reply. Junos breaks the lines inside its texts. */
export const complain = ({ severity = 'error', tag, message, path, badElement }: Complaint): string =>
  [
    '<rpc-error>',
    '<error-type>protocol</error-type>',
    ...(tag === undefined ? [] : [`<error-tag>${tag}</error-tag>`]),
    `<error-severity>${severity}</error-severity>`,
    ...(path === undefined ? [] : [`<error-path>\n[${escape(path)}]\n</error-path>`]),
    `<error-message>\n${escape(message)}\n</error-message>`,
    ...(badElement === undefined
      ? []
      : [`<error-info>\n<bad-element>${escape(badElement)}</bad-element>\n</error-info>`]),
    '</rpc-error>',
  ].join('\n');
