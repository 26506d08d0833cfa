import { describe, expect, it } from 'vitest';
import { daemonForTest } from './support/daemon.ts';

/** Two nodes at one BMC would be two tenants at one machine. */
describe('a BMC that a node has already', () => {
  const user = { user: 'admin', pass: 'secret' };
  it.each([
    ['ipmi', { addr: 'localhost', ...user }, { addr: '127.0.0.1', ...user }],
    ['ipmi', { addr: '127.0.0.1', ...user }, { addr: '::1', ...user }],
    ['redfish', { url: 'https://localhost', ...user }, { url: 'https://127.0.0.1:443', system: '1', ...user }],
    ['libvirt', { uri: 'qemu:///system', domain: 'vm' }, { uri: 'qemu+ssh://root@localhost/system', domain: 'vm' }],
  ])('is refused to another of type %s, however its address is written', async (type, info, other) => {
    const daemon = await daemonForTest('sqlite');
    expect((await daemon.admin('PUT', '/node/n1', { type, info })).status).toBe(200);
    expect((await daemon.admin('PUT', '/node/n1', { type, info: other })).status).toBe(200);
    expect(await daemon.admin('PUT', '/node/n2', { type, info })).toMatchObject({
      status: 409,
      body: { type: 'DuplicateError', msg: expect.stringContaining('same machine as node n1') as string },
    });
    expect((await daemon.admin('DELETE', '/node/n1')).status).toBe(200);
    expect((await daemon.admin('PUT', '/node/n2', { type, info })).status).toBe(200);
  });
});
