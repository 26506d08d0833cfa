import type { ServiceState, SwitchState } from './service-state.ts';
import type { SitePlan } from './site-plan.ts';
import type { PortIndex, PortName } from './port-index.ts';
import type { DeviceTypes } from '../device-fields.ts';
import { checkDevice, shownFields } from './device-types.ts';
import type { SourceRef, DesiredState, DesiredSwitch } from './desired-state.ts';

/** Switches and ports that are missing, and those that the document does not have. */
export const planSwitches = (
  plan: SitePlan,
  desired: DesiredState,
  state: ServiceState,
  portIndex: PortIndex,
  types: DeviceTypes,
): void => {
  for (const [label, wantedSwitch] of desired.switches ?? []) {
    const now = state.switches.get(label);
    if (now) updateSwitch(plan, label, wantedSwitch, now, types);
    else createSwitch(plan, label, wantedSwitch, types);
    for (const [port, ref] of wantedSwitch.ports ?? []) {
      if (!portIndex.has({ switch: label, port })) createPort(plan, { switch: label, port }, ref);
    }
    if (wantedSwitch.ports && now && !portIndex.isSpelledOtherwise(label))
      tellExtraPorts(plan, label, wantedSwitch, now);
  }
  planPluggedPorts(plan, desired, state, portIndex);
  if (!desired.switches) return;
  for (const label of state.switches.keys()) if (!desired.switches.has(label)) plan.extra('switch', `switch ${label}`);
};

const createSwitch = (plan: SitePlan, label: string, desired: DesiredSwitch, types: DeviceTypes): void => {
  checkDevice(plan, desired, types);
  const { type } = desired;
  if (type === null) return;
  plan.step('switches', {
    sign: 'create',
    kind: 'switch',
    what: `switch ${label} (${type})`,
    ref: desired,
    secrets: [...desired.secrets.values()],
    call: (corral, secretOf) =>
      corral.switchRegister({
        ...Object.fromEntries([...desired.fields].map(([name, { value }]) => [name, value])),
        ...Object.fromEntries([...desired.secrets].map(([name, secret]) => [name, secretOf(secret)])),
        switch: label,
        type,
      }),
  });
};

/**
 * Fields that differ are changed. Secrets cannot be compared: they are sent with fields that differ, so that a switch at
 * a new address is logged in to as the document says, and where the service has none.
 */
const updateSwitch = (
  plan: SitePlan,
  label: string,
  desired: DesiredSwitch,
  now: SwitchState,
  types: DeviceTypes,
): void => {
  if (desired.type !== null && desired.type !== now.type) {
    plan.mistake(
      desired,
      `type is ${now.type} at the service and cannot be changed to ${desired.type}; delete switch ${label} and its ports first`,
    );
    return;
  }
  const isOf = (name: string): string | null => (Object.hasOwn(now.fields, name) ? String(now.fields[name]) : null);
  const fields = [...shownFields(plan, desired, types)].filter(([name, { value }]) => isOf(name) !== String(value));
  const added = [...desired.secrets.keys()].filter((name) => !now.secrets.includes(name));
  if (fields.length === 0 && added.length === 0) return;
  const changes = fields.map(([name, { value }]) => {
    const is = isOf(name);
    return `${name} ${String(value)}${is === null ? '' : ` instead of ${is}`}`;
  });
  plan.step('switches', {
    sign: 'change',
    kind: 'switch',
    what: `switch ${label}: ${[...changes, ...added].join(', ')}`,
    ref: desired,
    secrets: [...desired.secrets.values()],
    call: (corral, secretOf) =>
      corral.switchUpdate({
        ...Object.fromEntries(fields.map(([name, { value }]) => [name, value])),
        ...Object.fromEntries([...desired.secrets].map(([name, secret]) => [name, secretOf(secret)])),
        switch: label,
      }),
  });
};

const createPort = (plan: SitePlan, port: PortName, ref: SourceRef): void =>
  plan.step('ports', {
    sign: 'create',
    kind: 'port',
    what: `port ${port.port} of switch ${port.switch}`,
    ref,
    call: (corral) => corral.switchRegisterPort(port),
  });

const tellExtraPorts = (plan: SitePlan, label: string, desired: DesiredSwitch, now: SwitchState): void => {
  for (const port of now.ports) if (!desired.ports?.has(port)) plan.extra('port', `port ${port} of switch ${label}`);
};

/** Ports that only nics name: they are registered too, unless the document lists the ports of their switch. */
const planPluggedPorts = (plan: SitePlan, desired: DesiredState, state: ServiceState, portIndex: PortIndex): void => {
  for (const { nics } of desired.nodes?.values() ?? []) {
    for (const { on } of nics.values()) {
      if (!on) continue;
      const mine = desired.switches?.get(on.switch);
      if (!mine && !state.switches.has(on.switch)) {
        plan.mistake(on, `switch ${on.switch} exists neither in the document nor at the service`);
      } else if (mine?.ports && !mine.ports.has(on.port)) {
        plan.mistake(on, `port ${on.port} is not among the ports of switch ${on.switch} in the document`);
      } else if (!mine?.ports && !portIndex.has(on)) createPort(plan, { switch: on.switch, port: on.port }, on);
    }
  }
};
