import type { LabPort, ScriptedSwitch } from '@corral/lab';
import { afterEach, expect } from 'vitest';
import type { Dialect } from '../../src/drivers/switches/cli/dialect.ts';
import { cliSwitch } from '../../src/drivers/switches/cli/driver.ts';
import type { SwitchSession } from '../../src/drivers/switches/contract.ts';

const undo: (() => unknown)[] = [];

/** Long enough for anything that works. */
export const amply = (): AbortSignal => AbortSignal.timeout(30_000);

/** A scripted switch, and the way to open sessions on it. */
interface CliTrial {
  readonly device: ScriptedSwitch;
  /** With these fields instead of those that reach it. */
  readonly open: (more?: Readonly<Record<string, unknown>>) => Promise<SwitchSession>;
}

/** Both are over when the test is. */
export const cliTrial = async (dialect: Dialect, start: Promise<ScriptedSwitch>): Promise<CliTrial> => {
  const device = await start;
  undo.push(() => device.stop());
  return {
    device,
    open: async (more = {}) => {
      const session = await cliSwitch(dialect).open({ label: 'sw', config: { ...device.fields, ...more } }, amply());
      undo.push(() => session.close());
      return session;
    },
  };
};

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** What the device is told while this is done, without what only looks. */
export const toldDuring = async (device: ScriptedSwitch, work: () => Promise<unknown>): Promise<readonly string[]> => {
  const before = device.console.transcript.length;
  await work();
  return device.console.transcript.slice(before).filter((line) => !line.startsWith('show '));
};

const states: readonly LabPort[] = [
  { native: null, tagged: [] },
  { native: 100, tagged: [] },
  { native: 200, tagged: [] },
  { native: 100, tagged: [200, 300] },
  { native: 200, tagged: [100] },
  { native: null, tagged: [100, 300] },
  { native: null, tagged: Array.from({ length: 90 }, (_, index) => 400 + 3 * index) },
];

/** From every state to every other, the port carries only what it carried or shall carry, at every moment. */
export const expectNoStrangeMoment = async (device: ScriptedSwitch, session: SwitchSession): Promise<void> => {
  const [port = ''] = device.ports;
  for (const before of states)
    for (const after of states) {
      await session.apply([{ port, ...before }], amply());
      const moments = device.watch(port);
      await session.apply([{ port, ...after }], amply());
      expect(moments.at(-1)).toEqual(after);
      const strange = moments.filter(
        ({ native, tagged }) =>
          ![before.native, after.native, null].includes(native) ||
          tagged.some((vlan) => !before.tagged.includes(vlan) && !after.tagged.includes(vlan)),
      );
      expect(strange).toEqual([]);
    }
};
