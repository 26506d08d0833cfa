import type { FastifyInstance } from 'fastify';
import { hasTooManyValues, mostValues } from './json-size.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Takes every body for JSON, whatever its Content-Type says. No body is an empty object. */
export const acceptJsonBodies = (app: FastifyInstance, invalid: (message: string) => Error): void => {
  app.removeAllContentTypeParsers();
  // What is no media type at all would be refused before a parser is asked.
  app.addHook('onRequest', (request, _reply, done) => {
    request.headers['content-type'] = undefined;
    done();
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseBody(body as Buffer, invalid));
    } catch (error) {
      done(error as Error);
    }
  });
};

const parseBody = (bytes: Buffer, invalid: (message: string) => Error): unknown => {
  if (bytes.length === 0) return {};
  if (hasTooManyValues(bytes)) throw invalid(`the body holds more than ${mostValues} values; send less at once`);
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch {
    throw invalid('the body is not JSON; expected a JSON object such as {"name": "value"}');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('the body is JSON but not an object; expected something like {"name": "value"}');
  }
  return value;
};
