import type { DellPort } from './dellnos9-config.ts';

/** Commands that belong together, from configuration mode back to configuration mode. */
export type Step = readonly string[];

/** How a port is brought to its state: the steps, and what opens it once all of them went well. */
export interface Steps {
  readonly change: readonly Step[];
  readonly open: readonly Step[];
}

/*
 * Every step ends with `exit`. Without it a VLAN that cannot be entered would leave us in the one before, and the
 * next command would put the port there. With it, whatever follows is refused.
 */
const step = (...commands: readonly string[]): Step => [...commands, 'exit'];

/** Commands for ports of one kind. */
export const stepsFor = (interfaceType: string, now: DellPort) => {
  const port = `${interfaceType} ${now.name}`;
  const onPort = (...commands: readonly string[]): Step => step(`interface ${port}`, ...commands);
  const inVlan = (vlan: number, command: string): Step => step(`interface vlan ${vlan}`, `${command} ${port}`);
  const leave = (untagged: readonly number[], tagged: readonly number[]): readonly Step[] => [
    ...tagged.map((vlan) => inVlan(vlan, 'no tagged')),
    ...untagged.map((vlan) => inVlan(vlan, 'no untagged')),
  ];
  const shut = now.isShut ? [] : [onPort('shutdown')];
  const plain = now.oddities.map((line) => onPort(`no ${line}`));

  return {
    /** Takes everything from the port: it is shut, however idle it looked, and no longer in layer 2 mode. */
    toIdle: (): Steps => ({
      change: [
        onPort('shutdown'),
        ...leave(now.untagged, now.tagged),
        ...plain,
        ...(now.isSwitchport ? [onPort('no switchport')] : []),
      ],
      open: [],
    }),

    /**
     * Makes the port carry these VLANs. Tagged ones come and go while it runs. To change the untagged one it must
     * be shut, because in between it is in the default VLAN; so must a port that is not hybrid yet.
     */
    toCarry: (native: number, tagged: readonly number[]): Steps => {
      const isReady = now.isSwitchport && now.isHybrid && now.oddities.length === 0;
      const isNative = now.untagged.length === 1 && now.untagged[0] === native;
      const isInPlace = !now.isShut && isReady && isNative;
      const kept = isReady ? now.tagged.filter((vlan) => tagged.includes(vlan)) : [];
      return {
        change: [
          ...(isInPlace ? [] : shut),
          ...leave(
            isReady && isNative ? [] : now.untagged,
            now.tagged.filter((vlan) => !kept.includes(vlan)),
          ),
          ...plain,
          // Hybrid mode cannot be entered from layer 2 mode.
          ...(now.isSwitchport && !now.isHybrid ? [onPort('no switchport')] : []),
          ...(isReady ? [] : [onPort(...(now.isHybrid ? [] : ['portmode hybrid']), 'switchport')]),
          ...(isReady && isNative ? [] : [inVlan(native, 'untagged')]),
          ...tagged.filter((vlan) => !kept.includes(vlan)).map((vlan) => inVlan(vlan, 'tagged')),
        ],
        open: isInPlace ? [] : [onPort('no shutdown')],
      };
    },
  };
};
