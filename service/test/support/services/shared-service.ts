import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import type { EngineName } from './engines.ts';
import type { Answer } from '../http/http-client.ts';
import { type Service, startService } from './service.ts';

/** One service for a whole suite, because starting takes time; its tests use labels of their own. */
export const sharedService = (engine: EngineName, env: Readonly<Record<string, string>> = {}): (() => Service) => {
  let service: Service | null = null;
  beforeAll(async () => {
    service = await startService(engine, env);
  });
  afterAll(async () => {
    if (service === null) return;
    await service.stop();
    await rm(service.dataDir, { recursive: true, force: true });
  });
  return () => {
    if (service === null) throw new Error('the service is started before the first test');
    return service;
  };
};

/** How a call was refused, as `409 BlockedError`; the answer must have the shape that every error has. */
export const refusal = async (answer: Promise<Answer>): Promise<string> => {
  const { status, text, body } = await answer;
  expect(body, text).toEqual({ type: expect.any(String) as string, msg: expect.stringMatching(/\w+ \w+/) as string });
  return `${status} ${(body as { type: string }).type}`;
};

/** The sentence of an error. */
export const message = async (answer: Promise<Answer>): Promise<string> => {
  const { text, body } = await answer;
  expect(body, text).toHaveProperty('msg');
  return (body as { msg: string }).msg;
};

/** Labels that are words to JavaScript, not ASCII, special in URLs or as long as can be. */
export const oddLabels: readonly { readonly what: string; readonly label: string }[] = [
  ...[
    '__proto__',
    'constructor',
    'toString',
    'ünï 日本 🐎',
    '100% a+b;c=d?e#f&g',
    'a%2Fb',
    "o'neill",
    '"quoted" \\ <b>',
    'null',
    '0',
  ].map((label) => ({ what: JSON.stringify(label), label })),
  { what: '255 letters that are two bytes each', label: 'ß'.repeat(255) },
  { what: '255 horses', label: '🐎'.repeat(255) },
];

/** A label as part of a path. */
export const enc = encodeURIComponent;
