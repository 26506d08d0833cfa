import type { Actual, ActualNetwork } from './actual.ts';
import type { Draft } from './draft.ts';
import { requireProject } from './plan-people.ts';
import { type Member, operator, type Wanted, type WantedNetwork } from './wanted.ts';

/** Networks that are missing or lack projects, and those that the document does not have. */
export const planNetworks = (draft: Draft, wanted: Wanted, actual: Actual): void => {
  if (!wanted.networks) return;
  for (const [label, network] of wanted.networks) {
    const { owner, access } = network;
    if (owner === null) continue;
    if (owner !== operator) requireProject(draft, wanted, actual, { ...network, project: owner });
    for (const member of Array.isArray(access) ? (access as readonly Member[]) : []) {
      requireProject(draft, wanted, actual, member);
    }
    const now = actual.networks.get(label);
    if (now) changeNetwork(draft, label, network, now);
    else createNetwork(draft, label, network, owner);
  }
  for (const label of actual.networks.keys())
    if (!wanted.networks.has(label)) draft.extra('network', `network ${label}`);
};

const createNetwork = (draft: Draft, network: string, wanted: WantedNetwork, owner: string): void => {
  const access = accessOf(wanted, owner);
  const others = access === 'everybody' ? [] : access.filter(({ project }) => project !== owner);
  const first = owner === operator ? others[0]?.project : owner;
  if (access !== 'everybody' && first === undefined) {
    draft.mistake(wanted, 'no project has access to it; name a project in access, or say everybody');
    return;
  }
  draft.step('networks', {
    sign: 'create',
    kind: 'network',
    what: `network ${network} of ${owner === operator ? 'the operator' : `project ${owner}`}`,
    told: wanted,
    call: (corral) =>
      corral.networkCreate({
        network,
        owner,
        access: access === 'everybody' ? '' : (first ?? ''),
        net_id: wanted.netId ?? '',
      }),
  });
  for (const member of others) if (member.project !== first) grant(draft, network, member, 'create');
};

/** What a document says about access, or what is usual where it says nothing. */
const accessOf = ({ access, ...told }: WantedNetwork, owner: string): readonly Member[] | 'everybody' => {
  if (access !== null) return access;
  return owner === operator ? 'everybody' : [{ ...told, project: owner }];
};

const changeNetwork = (draft: Draft, label: string, wanted: WantedNetwork, now: ActualNetwork): void => {
  const stays = (what: string, is: string, instead: string): void =>
    draft.mistake(
      wanted,
      `${what} is ${is} at the service and cannot be changed to ${instead}; delete network ${label} first`,
    );
  if (wanted.owner !== null && wanted.owner !== now.owner) stays('owner', now.owner, wanted.owner);
  if (wanted.netId !== null && wanted.netId !== now.netId) stays('net_id', now.netId, wanted.netId);
  const { access } = wanted;
  if (access === null) return;
  if (access === 'everybody' || now.access === null) {
    if (access !== 'everybody') stays('access', 'everybody', 'a list');
    else if (now.access !== null) stays('access', `for ${now.access.join(', ') || 'nobody'}`, 'everybody');
    return;
  }
  for (const member of access) if (!now.access.includes(member.project)) grant(draft, label, member, 'change');
  for (const project of now.access) {
    if (project !== now.owner && !access.some((member) => member.project === project)) {
      draft.extra('network', `network ${label} for project ${project}`);
    }
  }
};

const grant = (draft: Draft, network: string, member: Member, sign: 'create' | 'change'): void =>
  draft.step('grants', {
    sign,
    kind: 'network',
    what: `network ${network} for project ${member.project}`,
    told: member,
    call: (corral) => corral.networkGrantProjectAccess({ network, project: member.project }),
  });
