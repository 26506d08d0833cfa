import { redact } from '@corral/base/secrets/redact';

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
 * sent, so the token is taken out, however it is written.
 */
export const reasonIn = (text: string, token: string): string | null => {
  const words = redact(fieldIn(text, 'msg') ?? text, [token]);
  const line = words.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return /^.{1,300}/u.exec(line)?.[0] ?? null;
};
