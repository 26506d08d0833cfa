import { type LabPort } from '@corral/lab';
import { expect } from 'vitest';
import type { PortConfig, SwitchSession } from '../../../src/drivers/switches/switch-contract.ts';
import { everything } from '../../../src/drivers/switches/vlan-lists.ts';
import { amply } from './http-switches.ts';

type Carried = Omit<PortConfig, 'port'>;

const vlansOf = ({ native, tagged }: Carried): readonly number[] => (native === null ? tagged : [native, ...tagged]);

/** Does one reading leave out something that the other has? */
export const isNarrower = (reading: Carried, other: Carried): boolean => {
  if (vlansOf(reading).length === vlansOf(everything).length) return false;
  const told = new Set(vlansOf(reading));
  return vlansOf(other).some((vlan) => !told.has(vlan));
};

/** What a reading comes to; null: the answer is refused, and asked for again. */
export const readingOr = (read: () => Carried | undefined): Carried | null => {
  try {
    return read() ?? null;
  } catch {
    return null;
  }
};

/** A reading with every VLAN in it, which quotes what was not understood. */
export const unclearReading = (port: string, words: string): Carried =>
  ({ port, ...everything, unclear: expect.stringContaining(words) as string }) as Carried;

/**
 * A port with something on it that is not understood: it reads as one that carries everything, is not opened for
 * anybody, and carries nothing once it is freed.
 */
export const expectUnclearPort = async (
  session: SwitchSession,
  device: { carried(port: string): Promise<LabPort> },
  port: string,
  words: string,
): Promise<void> => {
  const [seen] = await session.read([port], amply());
  expect(seen).toEqual(unclearReading(port, words));
  expect(isNarrower(seen ?? { native: null, tagged: [] }, await device.carried(port))).toBe(false);
  expect((await session.readAll?.(amply()))?.find((one) => one.port === port)).toEqual(unclearReading(port, words));
  expect(await session.apply([{ port, native: 100, tagged: [] }], amply())).toEqual([
    { port, applied: false, reason: expect.stringContaining(words) as string },
  ]);
  await expectFreed(session, device, port);
};

/** Takes everything from a port: it is told so, and so says the device. */
export const expectFreed = async (
  session: SwitchSession,
  device: { carried(port: string): Promise<LabPort> },
  port: string,
): Promise<void> => {
  const nothing = { native: null, tagged: [] };
  expect(await session.apply([{ port, ...nothing }], amply())).toEqual([{ port, applied: true }]);
  expect(await device.carried(port)).toEqual(nothing);
  expect(await session.read([port], amply())).toEqual([{ port, ...nothing }]);
};
