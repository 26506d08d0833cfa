import { vlanLists } from '../vlan-lists.ts';
import type { BrocadePort } from './brocade-port.ts';

/** One change to a resource below an interface. */
export interface Write {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** Below the interface; empty for the interface itself. */
  readonly resource: string;
  readonly body?: string;
  /** The answer that says it was so already. */
  readonly already?: number;
}

const shut: Write = { method: 'PUT', resource: '/shutdown', body: '<shutdown>true</shutdown>' };
const open: Write = { method: 'DELETE', resource: '/shutdown', already: 404 };
const trunk = '/switchport/trunk';
const allow = (how: string): Write => ({
  method: 'PUT',
  resource: `${trunk}/allowed/vlan`,
  body: `<vlan>${how}</vlan>`,
});
const becomeSwitchport: Write = { method: 'POST', resource: '', body: '<switchport></switchport>', already: 409 };
const becomeTrunk: Write = {
  method: 'PUT',
  resource: '/switchport/mode',
  body: '<mode><vlan-mode>trunk</vlan-mode></mode>',
};
const leaveNativeUntagged: Write = { method: 'DELETE', resource: `${trunk}/tag/native-vlan`, already: 404 };
const forgetNative: Write = { method: 'DELETE', resource: `${trunk}/native-vlan`, already: 404 };
const forgetAccess: Write = { method: 'DELETE', resource: '/switchport/access/vlan', already: 404 };
const setNative = (vlan: number): Write => ({
  method: 'PUT',
  resource: `${trunk}/native-vlan`,
  body: `<native-vlan>${vlan}</native-vlan>`,
});
const allowNone = allow('<none>true</none>');
const each = (element: 'add' | 'remove', vlans: readonly number[]): readonly Write[] =>
  vlanLists(vlans).map((list) => allow(`<${element}>${list}</${element}>`));

/** What takes everything from a port: it is shut, however idle it looked, and what it carried is forgotten. */
export const writesToIdle = (now: BrocadePort): readonly Write[] => [
  shut,
  ...(now.mode === 'trunk' && now.allowedVlans.length > 0 ? [allowNone] : []),
  ...(now.mode === 'trunk' && now.nativeVlan !== null ? [forgetNative] : []),
  ...(now.mode === 'access' && now.accessVlan !== null && now.accessVlan !== 1 ? [forgetAccess] : []),
];

/**
 * What makes a port carry these VLANs. A trunk is changed while it runs: first less, then the native VLAN at one
 * stroke, then more, so that nothing foreign ever passes. Any other port is shut before it becomes one.
 */
export const writesToCarry = (now: BrocadePort, native: number, tagged: readonly number[]): readonly Write[] => {
  const isTrunk = now.isSwitchport && now.mode === 'trunk';
  const isInPlace = !now.isShut && isTrunk && !now.tagsNative;
  return [
    ...(now.isShut || isInPlace ? [] : [shut]),
    ...(now.isSwitchport ? [] : [becomeSwitchport]),
    ...(isTrunk ? [] : [becomeTrunk]),
    ...(isTrunk && !now.tagsNative ? [] : [leaveNativeUntagged]),
    ...fewer(now, isTrunk, tagged),
    ...(isTrunk && now.nativeVlan === native ? [] : [setNative(native)]),
    ...each('add', isTrunk && now.allowed.kind === 'list' ? without(tagged, now.allowed.vlans) : tagged),
    ...(isInPlace ? [] : [open]),
  ];
};

const fewer = (now: BrocadePort, isTrunk: boolean, tagged: readonly number[]): readonly Write[] =>
  isTrunk && now.allowed.kind === 'list' ? each('remove', without(now.allowed.vlans, tagged)) : [allowNone];

const without = (vlans: readonly number[], others: readonly number[]): readonly number[] =>
  vlans.filter((vlan) => !others.includes(vlan));
