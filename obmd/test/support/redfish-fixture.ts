import { inspect } from 'node:util';
import type { Outbound } from '@corral/base/http/outbound';
import { type LabRedfish, type LabRedfishOptions, startRedfish } from '@corral/lab';
import { expect, onTestFinished } from 'vitest';
import { type Bmc, BmcError, type BmcFault } from '../../src/drivers/bmc-contract.ts';
import { redfishBmc } from '../../src/drivers/redfish-driver.ts';
import { anywhere } from './obmd-outbound.ts';

/** A Redfish service and the driver on it, both gone at the end of the test. */
export interface Trial {
  readonly service: LabRedfish;
  readonly bmc: Bmc;
}

export const amply = () => AbortSignal.timeout(30_000);

/** The driver on some `info`, closed at the end of the test. */
export const bmcWith = (info: Readonly<Record<string, unknown>>, outbound: Outbound = anywhere): Bmc => {
  const bmc = redfishBmc.bmcOf(info, outbound);
  onTestFinished(() => bmc.close?.());
  return bmc;
};

/** HTTP unless said otherwise: what is tried is seldom the certificate. */
export const startTrial = async (
  options: LabRedfishOptions = {},
  info: Readonly<Record<string, unknown>> = {},
): Promise<Trial> => {
  const service = await startRedfish({ scheme: 'http', ...options });
  onTestFinished(() => service.stop());
  return { service, bmc: bmcWith({ ...service.info, ...info }) };
};

/** The system of a service, for faults: the resource itself, none below it. */
export const ofSystem = /\/Systems\/[^/]+\/?$/;

/** It failed in this way; what is told of it has neither the password nor, for the tenant, the address. */
export const expectFault = async (call: Promise<unknown>, fault: BmcFault, message: RegExp): Promise<BmcError> => {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof BmcError)) throw new Error(`it was ${inspect(error)}`);
  expect(error.message).toMatch(message);
  expect(error.fault).toBe(fault);
  expect(error.message).not.toMatch(/127\.0\.0\.1|localhost|undefined|\n/);
  expect(inspect(error, { depth: 20 })).not.toContain('calvin-and-hobbes');
  return error;
};

/** The methods and paths that a service was asked since the last time, without the way to the machine. */
export const changesAsked = (service: LabRedfish): readonly string[] =>
  service
    .asked()
    .filter(({ method, path }) => method !== 'GET' && !path.includes('Sessions'))
    .map(({ method, path }) => `${method} ${path}`);

/** What became of the only machine, as plain values. */
export const machineOf = ({ machine: { power, boots, resets } }: LabRedfish) => ({ power, boots, resets });
