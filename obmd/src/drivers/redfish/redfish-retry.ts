import { setTimeout as sleep } from 'node:timers/promises';
import { BmcError } from '../bmc-contract.ts';
import type { RedfishRequest, RedfishResponse, RedfishHttpClient } from './redfish-http-client.ts';
import { notInTime, redirected, tooBusy } from './redfish-errors.ts';

/** How often a GET is tried again after a broken line or an internal error. */
const tries = 2;
const retryPauseMs = 300;
/** A BMC that asks for more is not waited for. */
const longestRetryAfterMs = 60_000;
const defaultRetryAfterMs = 1_000;

/** Waits, unless the signal ends it. */
export const waitFor = async (ms: number, signal: AbortSignal): Promise<void> => {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    throw notInTime(error);
  }
};

/**
 * Asks until there is an answer that is about the request. "Busy" (503, 429) means that nothing was done, so
 * everything is asked again after the time that the BMC wants. Broken lines and internal errors leave open what
 * was done: only a GET is asked again.
 */
export const requestWithRetry = async (
  http: RedfishHttpClient,
  request: RedfishRequest,
  signal: AbortSignal,
): Promise<RedfishResponse> => {
  for (let failures = 0; ;) {
    const mayAskAgain = (): boolean => request.method === 'GET' && ++failures <= tries;
    let answer: RedfishResponse;
    try {
      answer = await http.send(request, signal);
    } catch (error) {
      const isBroken = error instanceof BmcError && error.fault === 'unreachable' && !signal.aborted;
      if (!isBroken || !mayAskAgain()) throw error;
      await waitFor(retryPauseMs, signal);
      continue;
    }
    const { status } = answer;
    if (status < 200 || (status >= 300 && status < 400)) throw redirected(new Error(`HTTP ${status}`));
    if (status === 503 || status === 429) await waitRetryAfter(answer, signal);
    else if (status >= 500 && status !== 501 && mayAskAgain()) await waitFor(retryPauseMs, signal);
    else return answer;
  }
};

const waitRetryAfter = async ({ status, header }: RedfishResponse, signal: AbortSignal): Promise<void> => {
  const told = header('retry-after');
  const asked = new Error(`HTTP ${status}${told === undefined ? '' : `, Retry-After: ${told.slice(0, 40)}`}`);
  const ms = told === undefined ? defaultRetryAfterMs : msIn(told);
  if (ms > longestRetryAfterMs) throw tooBusy(asked);
  await waitFor(Math.max(ms, retryPauseMs), signal).catch(() => {
    throw tooBusy(asked);
  });
};

/** `Retry-After` is a number of seconds or a date. */
const msIn = (told: string): number => {
  const ms = /^\d+$/.test(told) ? Number(told) * 1000 : Date.parse(told) - Date.now();
  return Number.isFinite(ms) ? ms : defaultRetryAfterMs;
};
