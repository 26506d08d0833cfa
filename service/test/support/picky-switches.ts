import type { SwitchDriver } from '../../src/drivers/switches/contract.ts';

/** Carries tagged networks only beside an untagged one, and gives up the untagged one last. */
const nativeFirst: Required<Pick<SwitchDriver, 'refuse'>> = {
  refuse: ({ native, tagged }, { kind, channel }) => {
    if (kind === 'connect' && channel !== 'vlan/native' && native === null) {
      return { refused: 'this switch needs a native network first' };
    }
    return kind === 'detach' && channel === 'vlan/native' && tagged.length > 0
      ? { refused: 'this switch needs its native network until the tagged ones are gone' }
      : null;
  },
};

/** Has ports called gi and a path, in any case. */
const gigabit: Pick<SwitchDriver, 'portName'> = {
  portName: (name) => (/^gi[\d/]+$/i.test(name) ? name.toLowerCase() : { refused: 'expected a port such as gi1/0/11' }),
};

/** Adds two types of switch to the registry that refuse some of what a mock switch takes. */
export const withPickySwitches = (
  drivers: Readonly<Record<string, SwitchDriver>>,
): Readonly<Record<string, SwitchDriver>> => {
  const { mock } = drivers;
  if (!mock) throw new Error('there is no mock switch to make picky ones of');
  return { ...drivers, 'native-first': { ...mock, ...nativeFirst }, gigabit: { ...mock, ...gigabit } };
};
