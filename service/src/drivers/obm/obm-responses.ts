import { redact } from '@corral/base/secrets/redact';
import type { BmcRegistration, BmcTest } from './obm-contract.ts';

/*
 * What an OBM daemon's answers hold. A daemon is trusted with its node, not with our responses: every
 * string is checked before it goes further.
 */

const largestRefusal = 64 * 1024;

/** As much of a refusal as holds its reason. */
export const beginningOf = async (body: AsyncIterable<unknown>): Promise<string> => {
  let text = '';
  try {
    for await (const chunk of body) {
      text += String(chunk);
      if (text.length > largestRefusal) break;
    }
  } catch {
    // What came is enough to judge by.
  }
  return text;
};

const fieldIn = (text: string, field: string): string | null => {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer !== 'object' || answer === null) return null;
    const value: unknown = Object.entries(answer).find(([name]) => name === field)?.[1];
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
};

/** Did the daemon understand that it was for one boot, and do it so? One that knows no such thing says nothing. */
export const isOnceIn = (text: string): boolean => {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null && 'once' in answer && answer.once === true;
  } catch {
    return false;
  }
};

/** The token that the daemon gave out, or null if there is none that could be sent back to it. */
export const tokenIn = (text: string): string | null => {
  const token = fieldIn(text, 'token');
  return token !== null && /^[\x21-\x7e]{1,256}$/.test(token) ? token : null;
};

/** `on`, `off`, or whatever this daemon calls it, in up to 64 printable characters. */
export const powerStatusIn = (text: string): string | null => {
  const status = fieldIn(text, 'power_status');
  return status !== null && /^[^\p{C}]{1,64}$/u.test(status) ? status : null;
};

/**
 * Why the daemon refused, on one line of up to 300 characters; null if it did not say. It may repeat what it was
 * sent, so secrets are taken out, however they are written.
 */
export const reasonIn = (text: string, ...secrets: readonly string[]): string | null => {
  const words = redact(fieldIn(text, 'msg') ?? text, secrets);
  const line = words.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return /^.{1,300}/u.exec(line)?.[0] ?? null;
};

/** Fields of a BMC that are nobody's business, of whatever kind it is. */
const secretField = /pass|secret|token|key/i;

/** The secrets among the fields of a BMC. */
export const secretsOf = (info: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(info).flatMap(([name, value]) => (secretField.test(name) && typeof value === 'string' ? [value] : []));

/** What a daemon shows of a BMC; null if that is none. Ours leaves secrets out; from another one they go no further. */
export const bmcIn = (text: string): BmcRegistration | null => bmcOf(objectIn(text));

/** What a daemon shows of all its BMCs, by their names there; null if that is no such list. */
export const bmcsIn = (text: string): ReadonlyMap<string, BmcRegistration> | null => {
  const list = jsonIn(text);
  if (!Array.isArray(list)) return null;
  const found = new Map<string, BmcRegistration>();
  for (const entry of list as unknown[]) {
    const bmc = isObject(entry) ? bmcOf(entry) : null;
    if (bmc === null || !isObject(entry) || typeof entry['id'] !== 'string') return null;
    found.set(entry['id'], bmc);
  }
  return found;
};

const bmcOf = ({ type, info }: Readonly<Record<string, unknown>>): BmcRegistration | null => {
  if (typeof type !== 'string' || !isObject(info)) return null;
  const shown = Object.entries(info).filter(
    ([name, value]) => !secretField.test(name) && ['string', 'number', 'boolean'].includes(typeof value),
  );
  return { type, info: Object.fromEntries(shown) };
};

/** What a daemon found at a BMC, in printable words; null if it does not say. */
export const bmcTestIn = (text: string): BmcTest | null => {
  const { answered, privileges, seconds } = objectIn(text);
  if (typeof answered !== 'string' || typeof privileges !== 'string' || typeof seconds !== 'number') return null;
  return { answered: oneLine(answered), privileges: oneLine(privileges), seconds };
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectIn = (text: string): Readonly<Record<string, unknown>> => {
  const answer = jsonIn(text);
  return isObject(answer) ? answer : {};
};

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
};

const oneLine = (text: string): string => /^.{0,300}/u.exec(text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim())?.[0] ?? '';
