import type { Answer, Client } from '../http/http-client.ts';
import { type Call, channelName } from './predict-calls.ts';
import { type NetworkState, type NicName, type NodeName, switchOf } from './model-state.ts';

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

const portOf = ({ node, nic }: { node: NodeName; nic: NicName }): string =>
  `/switch/${switchOf(`${node}/${nic}`)}/port/${node}/${nic}`;

/** What an answer shows, in the model's words; undefined where the model says nothing of it. */
export const shown = (made: Call, { body }: Answer): unknown => {
  switch (made.op) {
    case 'show_node': {
      const { project: itsHome, nics: held } = body as { project: string | null; nics: { networks: object }[] };
      return { project: itsHome, nics: held.map(({ networks: on }) => on) };
    }
    case 'show_network': {
      const { owner: its, access: list, 'connected-nodes': connected } = body as Record<string, unknown>;
      return { owner: its, access: list, connected };
    }
    case 'show_port': {
      const { node: plugged, networks: on = {}, suspect } = body as Record<string, unknown>;
      return { isPlugged: plugged !== undefined, on, isSuspect: suspect !== undefined };
    }
    case 'show_action': {
      const { status, type, new_network, channel: by } = body as Record<string, unknown>;
      return { status, type, new_network, channel: by };
    }
    default:
      return undefined;
  }
};
