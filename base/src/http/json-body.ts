import { errorCodes, type FastifyInstance } from 'fastify';
import { beforeBodies } from './before-bodies.ts';
import { hasTooManyValues, mostValues } from './json-size.ts';
import { readBody } from './read-body.ts';
import { readingTurn } from './reading-turn.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Takes every body for JSON, whatever its Content-Type says. No body is an empty object. */
export const acceptJsonBodies = (app: FastifyInstance, invalid: (message: string) => Error): void => {
  app.removeAllContentTypeParsers();
  // What is no media type at all would be refused before a parser is asked.
  beforeBodies(app, (request, _reply, payload, done) => {
    request.headers['content-type'] = undefined;
    done(null, payload);
  });
  app.addContentTypeParser('*', (request, payload, done) => {
    const rules = {
      declared: Number(request.headers['content-length']),
      most: request.routeOptions.bodyLimit,
      tooLong: () => new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(),
      invalid,
      reads: () => readingTurn.reads(request.raw.socket),
    };
    readBody(payload, rules, (failure, bytes) => {
      try {
        if (failure) throw failure;
        done(null, parseBody(bytes, invalid));
      } catch (error) {
        done(error as Error);
      }
    });
  });
};

const parseBody = (bytes: Buffer, invalid: (message: string) => Error): unknown => {
  if (bytes.length === 0) return {};
  if (hasTooManyValues(bytes))
    throw invalid(`the body contains more than ${mostValues} values; split it into several requests`);
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
