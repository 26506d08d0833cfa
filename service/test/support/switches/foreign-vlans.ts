import type { LabPort, LabSwitch } from '@corral/lab';
import { expect } from 'vitest';
import type { SwitchSession } from '../../../src/drivers/switches/switch-contract.ts';

const amply = (): AbortSignal => AbortSignal.timeout(30_000);

/** `native`: what a device that needs one gets beside tagged VLANs. */
const statesWith = (native: number | null): readonly LabPort[] => [
  { native: null, tagged: [] },
  { native: 100, tagged: [] },
  { native: 200, tagged: [] },
  { native: 100, tagged: [200, 300] },
  { native: 200, tagged: [100] },
  { native, tagged: [100, 300] },
  { native, tagged: Array.from({ length: 90 }, (_, index) => 400 + 3 * index) },
];

/** From every state to every state, itself too, each way once. */
const everyWay = (states: readonly LabPort[]): readonly LabPort[] => [
  ...states.flatMap((state, index) => [state, state, ...states.slice(index + 2).flatMap((other) => [other, state])]),
  ...states.slice(0, -1).reverse(),
];

/** From every state to every other, the port carries only what it carried or shall carry, at every moment. */
export const expectNoStrangeMoment = async (
  watch: NonNullable<LabSwitch['watch']>,
  session: SwitchSession,
  port: string,
  nativeBesideTagged: number | null,
): Promise<void> => {
  let before: LabPort = { native: null, tagged: [] };
  await session.apply([{ port, ...before }], amply());
  for (const after of everyWay(statesWith(nativeBesideTagged))) {
    const moments = watch(port);
    await session.apply([{ port, ...after }], amply());
    expect(moments.at(-1)).toEqual(after);
    const { native, tagged } = before;
    const isStrange = (moment: LabPort): boolean =>
      ![native, after.native, null].includes(moment.native) ||
      moment.tagged.some((vlan) => !tagged.includes(vlan) && !after.tagged.includes(vlan));
    expect(moments.filter(isStrange), `from ${JSON.stringify(before)} to ${JSON.stringify(after)}`).toEqual([]);
    before = after;
  }
};
