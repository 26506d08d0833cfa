import type { ServiceState, NetworkState } from './service-state.ts';
import type { SitePlan } from './site-plan.ts';
import { requireProject } from './plan-users.ts';
import { type Member, operator, type DesiredState, type DesiredNetwork } from './desired-state.ts';

/** Networks that are missing or lack projects, and those that the document does not have. */
export const planNetworks = (plan: SitePlan, desired: DesiredState, state: ServiceState): void => {
  if (!desired.networks) return;
  for (const [label, network] of desired.networks) {
    const { owner, access } = network;
    if (owner === null) continue;
    if (owner !== operator) requireProject(plan, desired, state, { ...network, project: owner });
    for (const member of Array.isArray(access) ? (access as readonly Member[]) : []) {
      requireProject(plan, desired, state, member);
    }
    const now = state.networks.get(label);
    if (now) changeNetwork(plan, label, network, now);
    else createNetwork(plan, label, network, owner);
  }
  for (const label of state.networks.keys())
    if (!desired.networks.has(label)) plan.extra('network', `network ${label}`);
};

const createNetwork = (plan: SitePlan, network: string, desired: DesiredNetwork, owner: string): void => {
  const access = accessOf(desired, owner);
  const others = access === 'everybody' ? [] : access.filter(({ project }) => project !== owner);
  const first = owner === operator ? others[0]?.project : owner;
  if (access !== 'everybody' && first === undefined) {
    plan.mistake(desired, 'no project has access to it; name a project in access, or say everybody');
    return;
  }
  plan.step('networks', {
    sign: 'create',
    kind: 'network',
    what: `network ${network} of ${owner === operator ? 'the operator' : `project ${owner}`}`,
    ref: desired,
    call: (corral) =>
      corral.networkCreate({
        network,
        owner,
        access: access === 'everybody' ? '' : (first ?? ''),
        net_id: desired.netId ?? '',
      }),
  });
  for (const member of others) if (member.project !== first) grant(plan, network, member, 'create');
};

/** What a document says about access, or what is usual where it says nothing. */
const accessOf = ({ access, ...ref }: DesiredNetwork, owner: string): readonly Member[] | 'everybody' => {
  if (access !== null) return access;
  return owner === operator ? 'everybody' : [{ ...ref, project: owner }];
};

const changeNetwork = (plan: SitePlan, label: string, desired: DesiredNetwork, now: NetworkState): void => {
  const stays = (what: string, is: string, instead: string): void =>
    plan.mistake(
      desired,
      `${what} is ${is} at the service and cannot be changed to ${instead}; delete network ${label} first`,
    );
  if (desired.owner !== null && desired.owner !== now.owner) stays('owner', now.owner, desired.owner);
  if (desired.netId !== null && desired.netId !== now.netId) stays('net_id', now.netId, desired.netId);
  const { access } = desired;
  if (access === null) return;
  if (access === 'everybody' || now.access === null) {
    if (access !== 'everybody') stays('access', 'everybody', 'a list');
    else if (now.access !== null) stays('access', `for ${now.access.join(', ') || 'nobody'}`, 'everybody');
    return;
  }
  for (const member of access) if (!now.access.includes(member.project)) grant(plan, label, member, 'change');
  for (const project of now.access) {
    if (project !== now.owner && !access.some((member) => member.project === project)) {
      plan.extra('network', `network ${label} for project ${project}`);
    }
  }
};

const grant = (plan: SitePlan, network: string, member: Member, sign: 'create' | 'change'): void =>
  plan.step('grants', {
    sign,
    kind: 'network',
    what: `network ${network} for project ${member.project}`,
    ref: member,
    call: (corral) => corral.networkGrantProjectAccess({ network, project: member.project }),
  });
