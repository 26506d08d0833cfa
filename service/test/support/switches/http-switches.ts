import type { LabHttpSwitch, LabPort } from '@corral/lab';
import { expect } from 'vitest';
import type { PortConfig, SwitchDriver, SwitchSession } from '../../../src/drivers/switches/switch-contract.ts';
import { everything } from '../../../src/drivers/switches/vlan-lists.ts';

/** Time enough for anything that works. */
export const amply = (): AbortSignal => AbortSignal.timeout(20_000);

/** A session with a device, under fields that may differ from those that reach it. */
export const openTo = (
  driver: SwitchDriver,
  device: LabHttpSwitch,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<SwitchSession> => driver.open({ label: 'sw', config: { ...device.fields, ...fields } }, amply());

/** Sets a port and gives what it carried on the way, moment by moment. */
export const setAndWatch = async (
  session: SwitchSession,
  device: LabHttpSwitch,
  state: PortConfig,
): Promise<readonly LabPort[]> => {
  device.moments(state.port);
  device.asked();
  const outcomes = await session.apply([state], amply());
  if (!outcomes.every(({ applied }) => applied)) throw new Error(`refused: ${JSON.stringify(outcomes)}`);
  return device.moments(state.port);
};

/** A port in a mode that no driver sets is read as one that passes everything, and set right when it is asked for. */
export const expectOddPortSetRight = async (
  session: SwitchSession,
  device: LabHttpSwitch,
  port: string,
): Promise<void> => {
  for (const state of [
    { port, native: 100, tagged: [101] },
    { port, native: null, tagged: [] },
  ]) {
    device.makeOdd(port);
    const anything = expect.objectContaining({ port, ...everything }) as PortConfig;
    expect(await session.read([port], amply())).toEqual([anything]);
    expect(await session.readAll?.(amply())).toContainEqual(anything);
    expect(await session.apply([state], amply())).toEqual([{ port, applied: true }]);
    expect(await session.read([port], amply())).toEqual([state]);
    expect(await device.carried(port)).toEqual({ native: state.native, tagged: state.tagged });
  }
};

/** The VLANs that a port carried at any moment and that are in none of these states. */
export const foreignVlans = (moments: readonly LabPort[], ...states: readonly LabPort[]): readonly number[] => {
  const known = new Set(states.flatMap(vlansOf));
  return moments.flatMap(vlansOf).filter((vlan) => !known.has(vlan));
};

const vlansOf = ({ native, tagged }: LabPort): readonly number[] => (native === null ? tagged : [native, ...tagged]);
