import { password } from '../installation.ts';
import type { MeasuredSite } from './measured-site.ts';
import { patterns } from './site-seed.ts';

/** One call, as it is sent. */
export interface Sent {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly cookie: string;
}

/** What steps of a walk know: where they are, and what earlier steps were answered. */
export interface Walk {
  readonly site: MeasuredSite;
  readonly url: string;
  /** Of the objects that it makes, so that no two walks meet. */
  readonly prefix: string;
  /** By name and index. */
  readonly kept: Map<string, string>;
  send(sent: Sent): Promise<Answer>;
}

/** A place of one call of the interface in the walk: it is made `count` times, on objects of its own or of the site. */
export interface Step {
  /** As in the OpenAPI document. */
  readonly call: string;
  /** Tells apart several places of one call. */
  readonly what?: string;
  /** Most are made 20 times. */
  readonly count?: number;
  readonly sent: (walk: Walk, index: number) => Sent;
  /** 200 or 202 otherwise. */
  readonly status?: number;
  /** Outside the measurement, before each call. */
  readonly before?: (walk: Walk, index: number) => Promise<void>;
  /** Remembers something of an answer. */
  readonly keep?: (walk: Walk, index: number, answer: Answer) => void;
  /** Inside the measurement, after all calls: what the engine does because of them is part of their cost. */
  readonly settled?: (walk: Walk, count: number) => Promise<void>;
  /** Of a list that answers with all there is: how many items an answer has. */
  readonly items?: (answer: Answer) => number;
  /** An answer that does not end: what counts is its first byte. */
  readonly isStream?: true;
}

export const get = (path: string): Sent => ({ method: 'GET', path });
export const put = (path: string, body?: unknown): Sent => ({ method: 'PUT', path, body });
export const post = (path: string, body?: unknown): Sent => ({ method: 'POST', path, body });
export const remove = (path: string): Sent => ({ method: 'DELETE', path });

/** Credentials of somebody that the walk has made. */
export const asUser = (name: string): { readonly authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});

/** Asks for something that is cheap to tell until it is so; a minute at most. */
export const until = async (walk: Walk, path: string, isSo: (body: unknown) => boolean): Promise<void> => {
  const end = performance.now() + 60_000;
  for (;;) {
    const { body } = await walk.send(get(path));
    if (isSo(body)) return;
    if (performance.now() > end) throw new Error(`${path} stays as it is: ${JSON.stringify(body)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** Changes something, so that no answer is one that was given before. */
export const changeSomething = async (walk: Walk, index: number): Promise<void> => {
  await walk.send(put(`/node/${patterns.node}/metadata/turn`, { value: String(index) }));
};
