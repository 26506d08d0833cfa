import type { Calls } from './calls.ts';
import { CorralError, ProtocolError, TimedOutError, UnreachableError } from './api-errors.ts';
import { pause } from './pause.ts';
import type { Answer, Transport } from './transport.ts';

/** One thing that happened, as `list_events` tells it. */
export type CorralEvent = Calls['listEvents']['reply']['events'][number];

/** Where a stream of events begins and how it ends. */
export interface FollowOptions {
  /** The id of the last event that is known already; without it the stream begins now. */
  readonly after?: number;
  readonly signal?: AbortSignal;
  /** Called when the stream is up: at first, and after each time that it was lost. */
  readonly onOpen?: () => void;
  /**
   * Called when free nodes or public networks have changed, about which only those see events that it concerns; perhaps
   * once too often. What changed is in the lists.
   */
  readonly onChanged?: () => void;
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** A stream that was up for so long was a good one: the next is opened again soon. */
const goodMs = 60_000;

/**
 * Events as they happen. A line that breaks is opened again where it broke, so nothing is missed and nothing told
 * twice.
 */
export async function* followEvents(transport: Transport, options: FollowOptions = {}): AsyncGenerator<CorralEvent> {
  const { signal, onOpen, onChanged } = options;
  let last = options.after;
  let isKnown = false;
  let pauseMs = firstPauseMs;
  while (!signal?.aborted) {
    const begun = performance.now();
    try {
      const answer = await transport.open(
        {
          method: 'GET',
          path: '/v0/events/stream',
          headers: { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': String(last) }) },
          isSafe: true,
        },
        signal,
      );
      const isReopened = isKnown;
      isKnown = true;
      onOpen?.();
      // Without an event to go on from, the service cannot know what was missed.
      if (isReopened && last === undefined) onChanged?.();
      for await (const event of eventsIn(answer, onChanged)) {
        last = event.id;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      // Only a stream that was there before is waited for.
      if (!isKnown || !mayComeBack(error)) throw error;
    }
    if (performance.now() - begun >= goodMs) pauseMs = firstPauseMs;
    // With jitter: when a service comes back, its clients do not come all at once.
    await pause(pauseMs * (0.5 + Math.random() / 2), signal).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

const mayComeBack = (error: unknown): boolean =>
  error instanceof UnreachableError ||
  error instanceof TimedOutError ||
  error instanceof TypeError ||
  (error instanceof CorralError && error.status >= 500);

async function* eventsIn(answer: Answer, onChanged?: () => void): AsyncGenerator<CorralEvent> {
  for await (const frame of framesIn(answer)) {
    const lines = frame.split('\n');
    const data = lines
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).trimStart())
      .join('\n');
    if (data !== '') yield parsed(data);
    else if (lines.includes('event: changed')) onChanged?.();
  }
}

async function* framesIn(answer: Answer): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const frames = new Frames();
  for await (const chunk of bytesOf(answer)) yield* frames.push(decoder.decode(chunk, { stream: true }));
}

const frameEnd = '\n\n';

/** Cuts a stream of frames at their ends. Only the last character of an unfinished frame is read again. */
export class Frames {
  #begun: string[] = [];

  push(text: string): readonly string[] {
    const before = this.#begun.pop() ?? '';
    const frames = `${before}${text}`.split(frameEnd);
    const rest = frames.pop() ?? '';
    const [first, ...others] = frames;
    const whole = first === undefined ? [] : [[...this.#begun, first].join(''), ...others];
    if (first !== undefined) this.#begun = [];
    this.#begun.push(rest.slice(0, -1), rest.slice(-1));
    return whole;
  }
}

/** The bytes of an answer as they come. By a reader, because not every browser can iterate over a stream. */
export async function* bytesOf(answer: Answer): AsyncGenerator<Uint8Array> {
  const reader = answer.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const part = await reader.read();
      if (part.done || part.value === undefined) return;
      yield part.value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const parsed = (data: string): CorralEvent => {
  const event = JSON.parse(data) as Partial<CorralEvent>;
  if (typeof event.id !== 'number' || typeof event.type !== 'string') {
    throw new ProtocolError('the event stream contains something that is not an event');
  }
  return event as CorralEvent;
};
