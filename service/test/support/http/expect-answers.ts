import { expect } from 'vitest';
import type { Answer } from './http-client.ts';
import type { Service } from '../services/service.ts';
import { settled } from '../services/world.ts';

/** The types of error and their statuses, as the decisions on the interface list them. */
const statuses = {
  ValidationError: 400,
  BadArgumentError: 400,
  AuthorizationError: 401,
  NotFoundError: 404,
  DuplicateError: 409,
  BlockedError: 409,
  ProjectMismatchError: 409,
  AllocationError: 409,
} as const;

/** The call was refused for this reason, in a sentence that names all of these. */
export const expectRefusal = (answer: Answer, type: keyof typeof statuses, ...named: readonly string[]): void => {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: statuses[type],
    body: { type, msg: expect.any(String) as string },
  });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { msg } = answer.body as { msg: string };
  for (const thing of named) expect(msg).toContain(thing);
};

/** The call succeeded and had nothing to say. */
export const expectNothingToSay = (answer: Answer): void =>
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' });

/** The call succeeded with exactly this body. */
export const expectBody = (answer: Answer, body: unknown): void => {
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
};

/** The id of a queued action; the answer holds it and nothing else. */
export const statusIdOf = (answer: Answer): string => {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: 202,
    body: { status_id: expect.stringMatching(uuid) as string },
  });
  return (answer.body as { status_id: string }).status_id;
};

/** Gives the engine so long that an action on a hanging switch stays pending for as long as a test needs. */
export const patient = { CORRAL_ENGINE_BUDGET: '120' };

/** Runs a test's part while a simulated switch never answers, so that whatever is queued stays pending. */
export const whileHanging = async <T>(service: Service, label: string, work: () => Promise<T>): Promise<T> => {
  const device = service.simulated(label);
  device.faults = { hang: true };
  try {
    return await work();
  } finally {
    device.faults = {};
  }
};

/** Makes an action on a node's nic fail on a switch that lies, so that nobody knows what the port carries. */
export const failUnknown = async (service: Service, label: string, port: string, queue: () => Promise<Answer>) => {
  const device = service.simulated(label);
  device.write([{ port, native: 4000, tagged: [] }]);
  device.faults = { lie: [port] };
  expect((await settled(service, await queue())).status).toBe('ERROR');
  return device;
};
