import { setTimeout as sleep } from 'node:timers/promises';
import { BmcError } from '../contract.ts';
import type { Question, RawAnswer, RedfishLine } from './line.ts';
import { notInTime, redirected, tooBusy } from './sentences.ts';

/** How often a GET is tried again after a broken line or an internal error. */
const tries = 2;
const betweenTries = 300;
/** A BMC that asks for more is not waited for. */
const longestRest = 60_000;
const usualRest = 1_000;

/** Waits, unless the signal ends it. */
export const rest = async (ms: number, signal: AbortSignal): Promise<void> => {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    throw notInTime(error);
  }
};

/**
 * Asks until there is an answer that is about the question. "Busy" (503, 429) means that nothing was done, so
 * everything is asked again after the time that the BMC wants. Broken lines and internal errors leave open what
 * was done: only a GET is asked again.
 */
export const askPatiently = async (line: RedfishLine, question: Question, signal: AbortSignal): Promise<RawAnswer> => {
  for (let failures = 0; ;) {
    const mayAskAgain = (): boolean => question.method === 'GET' && ++failures <= tries;
    let answer: RawAnswer;
    try {
      answer = await line.exchange(question, signal);
    } catch (error) {
      const isBroken = error instanceof BmcError && error.fault === 'unreachable' && !signal.aborted;
      if (!isBroken || !mayAskAgain()) throw error;
      await rest(betweenTries, signal);
      continue;
    }
    const { status } = answer;
    if (status < 200 || (status >= 300 && status < 400)) throw redirected(new Error(`HTTP ${status}`));
    if (status === 503 || status === 429) await restAsTold(answer, signal);
    else if (status >= 500 && status !== 501 && mayAskAgain()) await rest(betweenTries, signal);
    else return answer;
  }
};

const restAsTold = async ({ status, header }: RawAnswer, signal: AbortSignal): Promise<void> => {
  const told = header('retry-after');
  const asked = new Error(`HTTP ${status}${told === undefined ? '' : `, Retry-After: ${told.slice(0, 40)}`}`);
  const ms = told === undefined ? usualRest : msIn(told);
  if (ms > longestRest) throw tooBusy(asked);
  await rest(Math.max(ms, betweenTries), signal).catch(() => {
    throw tooBusy(asked);
  });
};

/** `Retry-After` is a number of seconds or a date. */
const msIn = (told: string): number => {
  const ms = /^\d+$/.test(told) ? Number(told) * 1000 : Date.parse(told) - Date.now();
  return Number.isFinite(ms) ? ms : usualRest;
};
