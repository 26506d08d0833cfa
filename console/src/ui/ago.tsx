import { useSyncExternalStore } from 'react';
import { usePrinting } from './use-printing.ts';

/** One clock for all times on the page. */
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
};

const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
] as const;

/** How long something took or is ago, in its largest unit: `40 s`, `3 min`, `2 d`. */
const lengthOf = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const unit = units.find((each) => seconds >= each.seconds);
  return unit === undefined ? `${seconds} s` : `${Math.floor(seconds / unit.seconds)} ${unit.name}`;
};

/** A time for paper, and for everybody wherever they are: `2026-03-01 12:00:05 UTC`. */
const exactTime = (at: string): string =>
  new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');

/** A time as how long ago it was; the exact one on hover, and on paper. */
export const Ago = ({ at, suffix = ' ago' }: { readonly at: string; readonly suffix?: string }) => {
  const current = useSyncExternalStore(subscribe, () => now);
  const isPrinting = usePrinting();
  const then = Date.parse(at);
  return (
    <time dateTime={at} title={new Date(then).toLocaleString()} className="whitespace-nowrap">
      {isPrinting ? exactTime(at) : current - then < 2_000 ? 'just now' : `${lengthOf(current - then)}${suffix}`}
    </time>
  );
};

/** A time to come as how long it is until then; the exact one on hover. */
export const Until = ({ at }: { readonly at: string }) => {
  const current = useSyncExternalStore(subscribe, () => now);
  const then = Date.parse(at);
  return (
    <time dateTime={at} title={new Date(then).toLocaleString()} className="whitespace-nowrap">
      {then <= current ? 'over' : `in ${lengthOf(then - current)}`}
    </time>
  );
};
