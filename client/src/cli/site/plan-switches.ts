import type { Actual, ActualSwitch } from './actual.ts';
import type { Draft } from './draft.ts';
import type { PortBook, PortName } from './ports.ts';
import { checkSwitch, shownFields, type SwitchTypes } from './switch-types.ts';
import type { Told, Wanted, WantedSwitch } from './wanted.ts';

/** Switches and ports that are missing, and those that the document does not have. */
export const planSwitches = (
  draft: Draft,
  wanted: Wanted,
  actual: Actual,
  book: PortBook,
  types: SwitchTypes,
): void => {
  for (const [label, wantedSwitch] of wanted.switches ?? []) {
    const now = actual.switches.get(label);
    if (now) requireSame(draft, label, wantedSwitch, now, types);
    else createSwitch(draft, label, wantedSwitch, types);
    for (const [port, told] of wantedSwitch.ports ?? []) {
      if (!book.has({ switch: label, port })) createPort(draft, { switch: label, port }, told);
    }
    if (wantedSwitch.ports && now && !book.isSpelledOtherwise(label)) tellExtraPorts(draft, label, wantedSwitch, now);
  }
  planPluggedPorts(draft, wanted, actual, book);
  if (!wanted.switches) return;
  for (const label of actual.switches.keys()) if (!wanted.switches.has(label)) draft.extra('switch', `switch ${label}`);
};

const createSwitch = (draft: Draft, label: string, wanted: WantedSwitch, types: SwitchTypes): void => {
  checkSwitch(draft, wanted, types);
  const { type } = wanted;
  if (type === null) return;
  draft.step('switches', {
    sign: 'create',
    kind: 'switch',
    what: `switch ${label} (${type})`,
    told: wanted,
    secrets: [...wanted.secrets.values()],
    call: (corral, secretOf) =>
      corral.switchRegister({
        ...Object.fromEntries([...wanted.fields].map(([name, { value }]) => [name, value])),
        ...Object.fromEntries([...wanted.secrets].map(([name, secret]) => [name, secretOf(secret)])),
        switch: label,
        type,
      }),
  });
};

/** No call changes a registered switch: a document that wants another one is wrong, or the switch has to go first. */
const requireSame = (
  draft: Draft,
  label: string,
  wanted: WantedSwitch,
  now: ActualSwitch,
  types: SwitchTypes,
): void => {
  const differs = (told: Told, what: string, is: unknown, instead: unknown): void =>
    draft.mistake(
      told,
      `${what} is ${String(is)} at the service and cannot be changed to ${String(instead)}; delete switch ${label} and its ports first`,
    );
  if (wanted.type !== null && wanted.type !== now.type) {
    differs(wanted, 'type', now.type, wanted.type);
    return;
  }
  for (const [name, told] of shownFields(draft, wanted, types)) {
    const is = Object.hasOwn(now.fields, name) ? now.fields[name] : 'not set';
    if (String(is) !== String(told.value)) differs(told, name, is, told.value);
  }
};

const createPort = (draft: Draft, port: PortName, told: Told): void =>
  draft.step('ports', {
    sign: 'create',
    kind: 'port',
    what: `port ${port.port} of switch ${port.switch}`,
    told,
    call: (corral) => corral.switchRegisterPort(port),
  });

const tellExtraPorts = (draft: Draft, label: string, wanted: WantedSwitch, now: ActualSwitch): void => {
  for (const port of now.ports) if (!wanted.ports?.has(port)) draft.extra('port', `port ${port} of switch ${label}`);
};

/** Ports that only nics name: they are registered too, unless the document lists the ports of their switch. */
const planPluggedPorts = (draft: Draft, wanted: Wanted, actual: Actual, book: PortBook): void => {
  for (const { nics } of wanted.nodes?.values() ?? []) {
    for (const { on } of nics.values()) {
      if (!on) continue;
      const mine = wanted.switches?.get(on.switch);
      if (!mine && !actual.switches.has(on.switch)) {
        draft.mistake(on, `switch ${on.switch} exists neither in the document nor at the service`);
      } else if (mine?.ports && !mine.ports.has(on.port)) {
        draft.mistake(on, `port ${on.port} is not among the ports of switch ${on.switch} in the document`);
      } else if (!mine?.ports && !book.has(on)) createPort(draft, { switch: on.switch, port: on.port }, on);
    }
  }
};
