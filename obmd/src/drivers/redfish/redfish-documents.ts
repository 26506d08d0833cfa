import { notRedfish } from './redfish-errors.ts';

/** A resource, or anything else that a BMC shows: nothing about its members is known yet. */
export type Document = Readonly<Record<string, unknown>>;

/** The JSON object that a BMC sent. */
export const documentIn = (text: string): Document => {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw notRedfish(new Error('the response is JSON but not an object'));
  return value as Document;
};

const parsed = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    // The error of JSON.parse repeats what was sent.
    throw notRedfish(new Error(`the response (${text.length} characters) is not JSON`));
  }
};

/** What a body says, if it is JSON at all. */
export const jsonIn = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
};
