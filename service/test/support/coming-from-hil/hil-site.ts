import { type LabObmd, startLabObmd } from '@corral/lab';
import { adminPassword, passwordOf, type Service } from '../services/service.ts';
import { connect, done, makeNetwork, makeProject, makeUser } from '../services/world.ts';
import type { Client } from '../http/http-client.ts';
import { hilClient } from './hil-client.ts';

/** A site as a script of HIL finds it, and its callers. */
export interface HilSite {
  readonly service: Service;
  readonly obmd: LabObmd;
  readonly admin: Client;
  /** In project red, which has the nodes n1 and n2 and the network lab. */
  readonly ann: Client;
  /** In project blue, which has nothing. */
  readonly bob: Client;
  readonly anonymous: Client;
}

/** The admin token of its OBM daemon. */
export const obmdToken = 'c41d-obmd-admin-token';
const longForm = 'http://schema.massopencloud.org/haas/v0/switches/mock';

/** Registers it as HIL's client library does. Nics eth1 and eth0 of n1 are on lab, in this order, eth0 also on campus. */
export const makeHilSite = async (service: Service): Promise<HilSite> => {
  const obmd = await startLabObmd({ adminToken: obmdToken, nextBoot: 'understood' });
  const admin = hilClient(service.url, 'admin', adminPassword);
  await done(admin.put('/switch/sw', { type: longForm, hostname: 'sw', username: 'operator', password: 'secret' }));
  await done(admin.put('/switch/sw/port/gi1/0/2'));
  await done(admin.put('/switch/sw/port/gi1/0/1'));
  for (const node of ['n2', 'n1']) {
    obmd.add(node);
    await done(admin.put(`/node/${node}`, { obmd: { uri: obmd.uri(node), admin_token: obmdToken } }));
  }
  for (const [nic, port] of Object.entries({ eth0: 'gi1/0/1', eth1: 'gi1/0/2' })) {
    await done(admin.put(`/node/n1/nic/${nic}`, { macaddr: '52:54:00:00:00:01' }));
    await done(admin.post(`/switch/sw/port/${port}/connect_nic`, { node: 'n1', nic }));
  }
  await done(admin.put('/node/n1/metadata/rack', { value: 'r1' }));
  await done(admin.put('/node/n1/metadata/cores', { value: 48 }));
  for (const project of ['red', 'blue']) await makeProject(service, project);
  await makeUser(service, 'ann', 'red');
  await makeUser(service, 'bob', 'blue');
  const ann = hilClient(service.url, 'ann', passwordOf('ann'));
  for (const node of ['n2', 'n1']) await done(ann.post('/project/red/connect_node', { node }));
  await makeNetwork(service, 'lab', 'red');
  await done(admin.put('/network/campus', { owner: 'admin', access: '', net_id: '3000' }));
  await connect(service, 'n1', 'eth1', 'lab');
  await connect(service, 'n1', 'eth0', 'lab');
  await connect(service, 'n1', 'eth0', 'campus', 'vlan/3000');
  const bob = hilClient(service.url, 'bob', passwordOf('bob'));
  return { service, obmd, admin, ann, bob, anonymous: hilClient(service.url) };
};
