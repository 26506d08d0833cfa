import type { LabObmd } from '@corral/lab';
import { expect } from 'vitest';
import { passwordOf, type Service } from '../services/service.ts';
import { obmd as deadObmd } from '../services/world.ts';

/** Sees to it that there is something for requests to be about: whatever is missing is made again. */
export const stock = async ({ admin }: Service, obmd: LabObmd): Promise<void> => {
  const put = async (path: string, body?: unknown): Promise<void> => {
    const { status, text } = await admin.put(path, body);
    expect([200, 409], text).toContain(status);
  };
  const post = async (path: string, body?: unknown): Promise<void> => {
    const { status, text } = await admin.post(path, body);
    expect([200, 202, 409], text).toContain(status);
  };
  for (const project of ['red', 'blue']) await put(`/project/${project}`);
  await put('/auth/basic/user/member', { password: passwordOf('member') });
  await put('/auth/basic/user/passer-by', { password: passwordOf('passer-by') });
  await post('/auth/basic/user/member/add_project', { project: 'red' });
  for (const label of ['sw', 'sw-spare']) {
    await put(`/switch/${label}`, { type: 'mock', hostname: 'h', username: 'u', password: 'p' });
  }
  await put('/switch/sw/port/spare');
  const managed = { uri: obmd.uri('n-managed'), admin_token: obmd.adminToken };
  for (const node of ['n-red', 'n-managed', 'n-free', 'n-dead']) {
    await put(`/node/${node}`, { obmd: node === 'n-managed' ? managed : deadObmd });
    await put(`/node/${node}/nic/eth0`, { macaddr: 'm' });
    await put(`/switch/sw/port/${node}/eth0`);
    await post(`/switch/sw/port/${node}/eth0/connect_nic`, { node, nic: 'eth0' });
    if (node !== 'n-free') await post('/project/red/connect_node', { node });
  }
  await admin.put('/node/n-managed/obm', { enabled: true });
  await put('/network/net', { owner: 'red', access: 'red', net_id: '' });
  await put('/network/public', { owner: 'admin', access: '', net_id: '' });
  await put('/headnode/h-red', { project: 'red', base_img: 'base' });
  await admin.put('/headnode/h-red/hnic/eth0');
};
