import type { LabMachine } from '@corral/lab';
import { expect } from 'vitest';
import type { Answer } from '../http/http-client.ts';
import { statusIdOf } from '../http/expect-answers.ts';
import { tamper } from '../switches/drift-helpers.ts';
import type { EngineName } from '../services/engines.ts';
import { passwordOf, serviceForTest } from '../services/service.ts';
import { done, makeNode, makeProject, makeSwitch, makeUser, reserve, settled } from '../services/world.ts';
import { hilClient } from './hil-client.ts';
import { type HilSite, obmdToken } from './hil-site.ts';

type RowCase = (site: HilSite, engine: EngineName) => Promise<Answer>;

const inHeadnode = async ({ service, admin }: HilSite, label: string): Promise<void> => {
  await makeProject(service, label);
  await done(admin.put(`/headnode/${label}`, { project: label, base_img: 'base' }));
  await done(admin.put(`/headnode/${label}/hnic/eth0`));
};

/** A free node whose OBM is enabled. */
const managedNode = async ({ admin, obmd }: HilSite, label: string): Promise<LabMachine> => {
  await done(admin.put(`/node/${label}`, { obmd: { uri: obmd.uri(label), admin_token: obmdToken } }));
  const machine = obmd.add(label);
  await done(admin.put(`/node/${label}/obm`, { enabled: true }));
  return machine;
};

const ofNetwork = (owner: string, access: string, net_id = '') => ({ owner, access, net_id });

/** For every row of the page the call that it is about, by its first cell. What the row tells beside the answer is checked in place. */
export const rowCases: Readonly<Record<string, RowCase>> = {
  'show_switch: ports': async ({ admin }) => {
    const answer = await admin.get('/switch/sw');
    expect(answer.body).toMatchObject({ type: 'mock', fields: { hostname: 'sw' } });
    return answer;
  },
  'show_node: metadata': ({ ann }) => ann.get('/node/n1'),
  'list_project_nodes: order': ({ ann }) => ann.get('/project/red/nodes'),
  'free nodes and public networks without credentials': async ({ service, anonymous }, engine) => {
    await makeNode(service, 'seen');
    const paths = ['/nodes/free', '/node/seen', '/networks', '/network/campus'];
    for (const path of paths) await done(anonymous.get(path));
    const closed = await serviceForTest(engine, { CORRAL_REQUIRE_AUTHENTICATION: 'true' });
    for (const path of paths) expect((await hilClient(closed.url).get(path)).status).toBe(401);
    return anonymous.get('/nodes/free');
  },
  'an unknown user': ({ service }) => hilClient(service.url, 'nobody', 'wrong').get('/projects'),
  'a wrong password, on a call that needs no credentials': ({ service }) =>
    hilClient(service.url, 'ann', 'wrong').get('/nodes/free'),
  port_revert: async ({ service, admin }) => {
    await makeNode(service, 'reverted', ['eth0']);
    const answer = await admin.post('/switch/sw0/port/reverted/eth0/revert');
    statusIdOf(answer);
    return answer;
  },
  'power, boot device and console calls': async ({ ann, obmd }) => {
    await done(ann.put('/node/n2/obm', { enabled: true }));
    const answer = await ann.post('/node/n2/power_on');
    expect(obmd.calls.at(-1)).toMatchObject({ path: '/node/n2/power_on', credentials: 'token' });
    await done(ann.put('/node/n2/boot_device', { bootdev: 'disk' }));
    await done(ann.put('/node/n2/obm', { enabled: false }));
    return answer;
  },
  'power_cycle: the next boot': async (site) => {
    const machine = await managedNode(site, 'booting');
    await done(site.admin.put('/node/booting/boot_device', { bootdev: 'disk' }));
    const answer = await site.admin.post('/node/booting/power_cycle', { force: true });
    await done(site.admin.post('/node/booting/power_off'));
    await done(site.admin.post('/node/booting/power_on'));
    expect(machine.bootedFrom).toEqual(['pxe', 'disk']);
    return answer;
  },
  'power_cycle without force': async (site) => {
    await managedNode(site, 'soft');
    const answer = await site.admin.post('/node/soft/power_cycle', { force: false });
    expect(site.obmd.calls.at(-1)).toMatchObject({ path: '/node/soft/power_cycle', body: { force: false } });
    return answer;
  },
  'an unknown path': ({ admin }) => admin.get('/nonsense'),
  'reserving a node whose port carries a VLAN that nobody recorded': async ({ service, ann, admin }) => {
    await makeSwitch(service, 'sw-used');
    tamper(service, 'sw-used', 'used/eth0', { native: 77 });
    await makeNode(service, 'used', ['eth0'], 'sw-used');
    const refused = await ann.post('/project/red/connect_node', { node: 'used' });
    await settled(service, await admin.post('/switch/sw-used/port/used/eth0/revert'));
    await done(ann.post('/project/red/connect_node', { node: 'used' }));
    return refused;
  },
  'list_network_attachments of a node with several nics on the network': async ({ ann }) => {
    const answer = await ann.get('/network/lab/attachments');
    const attachments = ['eth0', 'eth1'].map((nic) => ({ nic, channel: 'vlan/native' }));
    expect(answer.body).toMatchObject({ n1: { attachments } });
    return answer;
  },
  'six different wrong passwords for a user': async ({ service }) => {
    const guess = (password: string) => hilClient(service.url, 'guessed', password).get('/projects');
    for (const password of ['1', '2', '3', '4', '5']) expect((await guess(password)).status).toBe(401);
    const answer = await guess('6');
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    return answer;
  },
  list_active_extensions: async ({ admin }) => {
    const answer = await admin.get('/active_extensions');
    expect(answer.body).toContain('corral.ext.switches.mock');
    return answer;
  },

  'node_connect_network: the network is on the nic': ({ ann }) =>
    ann.post('/node/n1/nic/eth1/connect_network', { network: 'lab', channel: 'vlan/native' }),
  'node_connect_network: the channel is not legal': ({ ann }) =>
    ann.post('/node/n1/nic/eth1/connect_network', { network: 'campus', channel: 'vlan/99' }),
  'node_detach_network: the network is not on the nic': ({ ann }) =>
    ann.post('/node/n1/nic/eth1/detach_network', { network: 'campus' }),
  'project_detach_node: the node is in another project or free': async ({ service, ann, bob }) => {
    await makeNode(service, 'free');
    const free = await ann.post('/project/red/detach_node', { node: 'free' });
    const foreign = await bob.post('/project/blue/detach_node', { node: 'n1' });
    expect([foreign.status, foreign.body]).toMatchObject([free.status, { type: 'ProjectMismatchError' }]);
    return free;
  },
  'network_create: no VLAN is left': async (_site, engine) => {
    const small = await serviceForTest(engine, { CORRAL_VLANS: '100' });
    await done(small.admin.put('/network/first', ofNetwork('admin', '')));
    return small.admin.put('/network/second', ofNetwork('admin', ''));
  },
  'the OBM daemon does not answer': async ({ service, admin }) => {
    await makeNode(service, 'silent');
    return admin.put('/node/silent/obm', { enabled: true });
  },
  'network_create by a project, with a VLAN id': ({ ann }) =>
    ann.put('/network/chosen', ofNetwork('red', 'red', '3001')),
  'network_create for a project that is not one’s own': async ({ bob }) => {
    const free = await bob.put('/network/not-there', ofNetwork('red', 'red'));
    const taken = await bob.put('/network/lab', ofNetwork('red', 'red'));
    expect(taken.text).toBe(free.text);
    return taken;
  },
  'show_network without credentials: the network is missing': async ({ anonymous }) => {
    const answer = await anonymous.get('/network/not-there');
    expect((await anonymous.get('/network/lab')).text).toBe(answer.text);
    return answer;
  },
  'a malformed body without credentials': ({ anonymous }) => anonymous.put('/project/x', { nonsense: true }),
  'a body that is JSON but not an object': ({ admin }) => admin.put('/project/x', []),
  'switch_register: a field is missing or unknown': async ({ admin }) => {
    const fields = { type: 'mock', hostname: 'sw2', username: 'operator' };
    const missing = await admin.put('/switch/sw2', fields);
    expect(missing.text).toContain('password');
    const unknown = await admin.put('/switch/sw2', { ...fields, password: 'secret', colour: 'red' });
    expect([unknown.status, unknown.text]).toEqual([missing.status, expect.stringContaining('colour')]);
    return missing;
  },
  'node_register: an OBM address that is not HTTP': ({ admin }) =>
    admin.put('/node/ftp', { obmd: { uri: 'ftp://obmd.example/node/ftp', admin_token: 'secret' } }),
  'headnode_connect_network: an administrator chose the VLAN': async (site) => {
    await inHeadnode(site, 'assigned');
    await done(site.admin.put('/network/assigned', ofNetwork('admin', '', '990')));
    return site.admin.post('/headnode/assigned/hnic/eth0/connect_network', { network: 'assigned' });
  },

  'granting access to a public network': async ({ admin }) => {
    const granted = await admin.put('/network/campus/access/red');
    const revoked = await admin.del('/network/campus/access/red');
    expect(revoked.text).toBe(granted.text);
    expect((await admin.get('/network/campus')).body).toMatchObject({ access: null });
    return granted;
  },
  'node_delete_nic: the nic is on a port': async ({ service, admin }) => {
    await makeNode(service, 'wired', ['eth0']);
    return admin.del('/node/wired/nic/eth0');
  },
  'node_delete_nic: the node is in a project': async ({ service, admin }) => {
    await makeNode(service, 'tenanted');
    await done(admin.put('/node/tenanted/nic/loose', { macaddr: '52:54:00:00:00:02' }));
    await reserve(service, 'red', 'tenanted');
    const answer = await admin.del('/node/tenanted/nic/loose');
    await done(admin.post('/project/red/detach_node', { node: 'tenanted' }));
    return answer;
  },
  'node_delete: OBM is enabled': async (site) => {
    await managedNode(site, 'managed');
    return site.admin.del('/node/managed');
  },
  'network_create with the VLAN of another network': ({ admin }) =>
    admin.put('/network/second', ofNetwork('admin', '', '3000')),
  'network_create with VLAN 4095 or 4096': async ({ admin }) => {
    const answer = await admin.put('/network/beyond', ofNetwork('admin', '', '4095'));
    expect((await admin.put('/network/beyond', ofNetwork('admin', '', '4096'))).status).toBe(answer.status);
    return answer;
  },
  'list_nodes with another word than all and free': ({ admin }) => admin.get('/nodes/busy'),
  'a project called admin': ({ admin }) => admin.put('/project/admin'),
  'a label with a space at its end, or of 256 characters': async ({ admin }) => {
    const answer = await admin.put('/project/spaced%20');
    expect((await admin.put(`/project/${'x'.repeat(256)}`)).status).toBe(answer.status);
    return answer;
  },
  'an empty password': ({ admin }) => admin.put('/auth/basic/user/open', { password: '', is_admin: false }),
  'deleting the last administrator': ({ admin }) => admin.del('/auth/basic/user/admin'),
  'headnode_connect_network: the hnic is on another network': async (site) => {
    await inHeadnode(site, 'moving');
    for (const network of ['here', 'there']) {
      await done(site.admin.put(`/network/${network}`, ofNetwork('moving', 'moving')));
    }
    await done(site.admin.post('/headnode/moving/hnic/eth0/connect_network', { network: 'here' }));
    return site.admin.post('/headnode/moving/hnic/eth0/connect_network', { network: 'there' });
  },
  'headnode_stop of a headnode that was never started': async (site) => {
    await inHeadnode(site, 'resting');
    return site.admin.post('/headnode/resting/stop');
  },
  'node_register with obm, from before the OBM daemon': ({ admin }) =>
    admin.put('/node/older', {
      obm: { type: 'http://schema.massopencloud.org/haas/v0/obm/ipmi', host: 'bmc', user: 'root', password: 'secret' },
    }),
  'starting and stopping console logs, from before that daemon': async ({ ann }) => {
    const started = await ann.put('/node/n1/console');
    expect((await ann.del('/node/n1/console')).status).toBe(started.status);
    return started;
  },

  'revoking the last project of an administrator’s network': async ({ admin, bob }) => {
    await done(admin.put('/network/granted', ofNetwork('admin', 'blue')));
    await done(admin.del('/network/granted/access/blue'));
    expect((await bob.get('/network/granted')).status).toBe(401);
    return admin.get('/network/granted');
  },
  'network_create by an administrator, with a project and a VLAN': ({ admin }) =>
    admin.put('/network/given', ofNetwork('red', 'blue', '3002')),
  'list_network_attachments of a public network, by a project': async ({ ann, bob }) => {
    expect((await bob.get('/network/campus/attachments')).body).toEqual({});
    return ann.get('/network/campus/attachments?project=red');
  },
  'disabling OBM that is not enabled': async ({ service, admin }) => {
    await makeNode(service, 'disabled');
    return admin.put('/node/disabled/obm', { enabled: false });
  },
  'show_headnode: hnics and VNC port': async (site) => {
    await inHeadnode(site, 'shown');
    await makeUser(site.service, 'owner', 'shown');
    await done(site.admin.post('/headnode/shown/start'));
    return hilClient(site.service.url, 'owner', passwordOf('owner')).get('/headnode/shown');
  },
};
