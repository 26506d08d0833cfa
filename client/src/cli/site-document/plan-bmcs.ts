import type { DesiredDevice } from './desired-state.ts';
import { bmcInfo, type BmcTypes } from '../device-fields.ts';
import { checkDevice } from './device-types.ts';
import type { BmcState } from './service-state.ts';
import type { SitePlan } from './site-plan.ts';

/** The BMCs that are registered now, by their nodes, and the kinds that there are. */
export interface KnownBmcs {
  readonly types: BmcTypes;
  readonly now: ReadonlyMap<string, BmcState>;
}

/** A BMC that is missing or differs is registered, whole. Nobody can tell whether its password is another one. */
export const planBmc = (plan: SitePlan, node: string, desired: DesiredDevice, { types, now }: KnownBmcs): void => {
  const { type } = desired;
  const before = now.get(node);
  if (type === null || (before && isSame(desired, before))) return;
  checkDevice(plan, desired, types);
  plan.step('bmcs', {
    sign: before ? 'change' : 'create',
    kind: 'bmc',
    what: `BMC of node ${node} (${type})`,
    ref: desired,
    secrets: [...desired.secrets.values()],
    call: (corral, secretOf) =>
      corral.bmcRegister({
        node,
        type,
        info: bmcInfo({
          ...Object.fromEntries([...desired.fields].map(([name, { value }]) => [name, value])),
          ...Object.fromEntries([...desired.secrets].map(([name, secret]) => [name, secretOf(secret)])),
        }),
      }),
  });
};

const isSame = ({ type, fields }: DesiredDevice, now: BmcState): boolean =>
  type === now.type &&
  fields.size === Object.keys(now.info).length &&
  [...fields].every(([name, { value }]) => String(now.info[name]) === String(value));
