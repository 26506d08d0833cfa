import fc from 'fast-check';
import type { Faults } from '../../src/drivers/switches/simulated.ts';
import type { Answer, Client } from './http.ts';
import { type Call, channelName } from './model.ts';
import { type NetworkState, networks, nics, nodes, plugs, projects, switchOf, type SwitchName } from './model-state.ts';

/** What a walk does next: a call, something that befalls a switch or the service, or a wait for the engine. */
export type Step =
  | { readonly do: 'call'; readonly call: Call }
  | { readonly do: 'fault'; readonly at: SwitchName; readonly faults: Faults }
  | { readonly do: 'settle' }
  | { readonly do: 'restart' };

const caller = fc.oneof(
  { weight: 5, arbitrary: fc.constant('admin' as const) },
  { weight: 3, arbitrary: fc.constant('alice' as const) },
  { weight: 2, arbitrary: fc.constant('bob' as const) },
);
const node = fc.constantFrom(...nodes);
const nic = fc.constantFrom(...nics);
const network = fc.constantFrom(...networks);
const project = fc.constantFrom(...projects);

const call = (weight: number, arbitrary: fc.Arbitrary<Call>) => ({
  weight,
  arbitrary: arbitrary.map((made): Step => ({ do: 'call', call: made })),
});

const calls = [
  call(
    12,
    fc.record({
      op: fc.constant('connect_network' as const),
      caller,
      node,
      nic,
      network,
      channel: fc.constantFrom('default', 'native', 'tagged', 'tagged', 'illegal'),
    }),
  ),
  call(6, fc.record({ op: fc.constant('detach_network' as const), caller, node, nic, network })),
  call(6, fc.record({ op: fc.constant('project_connect_node' as const), caller, project, node })),
  call(6, fc.record({ op: fc.constant('project_detach_node' as const), caller, project, node })),
  call(
    7,
    fc.record({
      op: fc.constant('network_create' as const),
      caller,
      network,
      owner: fc.constantFrom('red', 'red', 'blue', 'admin'),
      access: fc.constantFrom('red', 'red', 'blue', ''),
      net_id: fc.constantFrom('', '', '', '100', '200', '4095'),
    }),
  ),
  call(4, fc.record({ op: fc.constant('network_delete' as const), caller, network })),
  call(2, fc.record({ op: fc.constantFrom('network_grant', 'network_revoke'), caller, network, project })),
  call(2, fc.record({ op: fc.constantFrom('port_revert', 'port_connect_nic', 'port_detach_nic'), caller, node, nic })),
  call(1, fc.record({ op: fc.constantFrom('project_create', 'project_delete'), caller, project })),
  call(
    1,
    fc.record({
      op: fc.constantFrom('user_add_project', 'user_remove_project'),
      caller,
      project,
      user: fc.constantFrom('alice', 'bob'),
    }),
  ),
  call(2, fc.record({ op: fc.constant('show_node' as const), caller, node })),
  call(2, fc.record({ op: fc.constant('show_network' as const), caller, network })),
];

const at = fc.constantFrom<SwitchName>('sw0', 'sw1');
const portsAt = (where: SwitchName): fc.Arbitrary<readonly string[]> =>
  fc.oneof(
    fc.constant(['*']),
    fc.subarray(
      plugs.filter((plug) => switchOf(plug) === where),
      { minLength: 1 },
    ),
  );
const faults = at.chain((where) =>
  fc
    .oneof(
      fc.constant<Faults>({ unreachable: true }),
      fc.constant<Faults>({ drop: true }),
      fc.constant<Faults>({ hang: true }),
      fc.constant<Faults>({ delayMs: 30 }),
      portsAt(where).map((refuse): Faults => ({ refuse })),
      portsAt(where).map((lie): Faults => ({ lie })),
    )
    .map((made): Step => ({ do: 'fault', at: where, faults: made })),
);

/** Any step, the frequent ones more often. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  ...calls,
  { weight: 4, arbitrary: faults },
  { weight: 6, arbitrary: at.map((where): Step => ({ do: 'fault', at: where, faults: {} })) },
  { weight: 10, arbitrary: fc.constant<Step>({ do: 'settle' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'restart' }) },
);

/** Makes a call over HTTP; `statusId` is that of the nic's newest action. */
export const send = (
  client: Client,
  made: Call,
  known: Readonly<Record<string, NetworkState>>,
  statusId: string,
): Promise<Answer> => {
  switch (made.op) {
    case 'project_create':
      return client.put(`/project/${made.project}`);
    case 'project_delete':
      return client.del(`/project/${made.project}`);
    case 'project_connect_node':
      return client.post(`/project/${made.project}/connect_node`, { node: made.node });
    case 'project_detach_node':
      return client.post(`/project/${made.project}/detach_node`, { node: made.node });
    case 'network_create':
      return client.put(`/network/${made.network}`, { owner: made.owner, access: made.access, net_id: made.net_id });
    case 'network_delete':
      return client.del(`/network/${made.network}`);
    case 'show_network':
      return client.get(`/network/${made.network}`);
    case 'network_grant':
      return client.put(`/network/${made.network}/access/${made.project}`);
    case 'network_revoke':
      return client.del(`/network/${made.network}/access/${made.project}`);
    case 'connect_network':
      return client.post(`/node/${made.node}/nic/${made.nic}/connect_network`, {
        network: made.network,
        ...(made.channel === 'default' ? {} : { channel: channelName(made.channel, known[made.network]) }),
      });
    case 'detach_network':
      return client.post(`/node/${made.node}/nic/${made.nic}/detach_network`, { network: made.network });
    case 'port_revert':
      return client.post(`${portOf(made)}/revert`);
    case 'port_connect_nic':
      return client.post(`${portOf(made)}/connect_nic`, { node: made.node, nic: made.nic });
    case 'port_detach_nic':
      return client.post(`${portOf(made)}/detach_nic`);
    case 'show_port':
      return client.get(portOf(made));
    case 'show_action':
      return client.get(`/networking_action/${statusId}`);
    case 'user_add_project':
      return client.post(`/auth/basic/user/${made.user}/add_project`, { project: made.project });
    case 'user_remove_project':
      return client.post(`/auth/basic/user/${made.user}/remove_project`, { project: made.project });
    case 'show_node':
      return client.get(`/node/${made.node}`);
  }
};

const portOf = ({ node: onNode, nic: onNic }: { node: (typeof nodes)[number]; nic: (typeof nics)[number] }): string =>
  `/switch/${switchOf(`${onNode}/${onNic}`)}/port/${onNode}/${onNic}`;

/** What an answer shows, in the model's words; undefined where the model says nothing of it. */
export const shown = ({ op }: Call, { body }: Answer): unknown => {
  switch (op) {
    case 'show_node': {
      const { project: home, nics: held } = body as { project: string | null; nics: { networks: object }[] };
      return { project: home, nics: held.map(({ networks: on }) => on) };
    }
    case 'show_network': {
      const { owner, access, 'connected-nodes': connected } = body as Record<string, unknown>;
      return { owner, access, connected };
    }
    case 'show_port': {
      const { node: plugged, networks: on = {}, suspect } = body as Record<string, unknown>;
      return { isPlugged: plugged !== undefined, on, isSuspect: suspect !== undefined };
    }
    case 'show_action': {
      const { status, type, new_network, channel } = body as Record<string, unknown>;
      return { status, type, new_network, channel };
    }
    default:
      return undefined;
  }
};
