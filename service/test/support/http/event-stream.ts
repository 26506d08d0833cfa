import { request } from 'node:http';
import { basic } from './http-client.ts';
import { adminPassword, passwordOf } from '../services/service.ts';

interface StreamedEvent {
  readonly id: number;
  readonly type: string;
  readonly project: string | null;
  readonly [field: string]: unknown;
}

/** What came over an event stream so far. */
export interface EventStream {
  readonly status: number;
  readonly events: readonly StreamedEvent[];
  /** All that was sent, comments too. */
  readonly frames: readonly string[];
  /** Resolves when the connection is gone, from either side. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

type Headers = Readonly<Record<string, string>>;

/** Follows the event stream as a user, or with these headers; resolves when the server has answered. */
export const follow = (url: string, caller: string | Headers, lastEventId?: number): Promise<EventStream> =>
  new Promise((resolve, reject) => {
    const events: StreamedEvent[] = [];
    const all: string[] = [];
    const headers = {
      ...(typeof caller === 'string' ? credentialsOf(caller) : caller),
      ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
    };
    const call = request(`${url}/v0/events/stream`, { headers }, (response) => {
      let rest = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        const frames = (rest + text).split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) {
          all.push(frame);
          const data = /^data: (.*)$/m.exec(frame)?.[1];
          if (data !== undefined) events.push(JSON.parse(data) as StreamedEvent);
        }
      });
      // A stream that we cut reports it as an error.
      response.on('error', () => undefined);
      resolve({
        status: response.statusCode ?? 0,
        events,
        frames: all,
        ended: new Promise((closed) => response.once('close', closed)),
        close: async () => {
          call.destroy();
          if (!response.closed) await new Promise((closed) => response.once('close', closed));
        },
      });
    });
    call.on('error', reject);
    call.end();
  });

const credentialsOf = (name: string): Headers => ({
  authorization: basic(name, name === 'admin' ? adminPassword : passwordOf(name)),
});
