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

  const ipmi = { type: 'ipmi', info: { addr: 'localhost', ...user } };
  it.each([
    [ipmi, { type: 'redfish', info: { url: 'https://127.0.0.1', ...user } }],
    [ipmi, { type: 'redfish', info: { url: 'https://[::1]', system: 'Systems/1', ...user } }],
    [{ type: 'redfish', info: { url: 'http://localhost', ...user } }, ipmi],
    [
      { type: 'redfish', info: { url: 'http://localhost', ...user } },
      { type: 'redfish', info: { url: 'https://127.0.0.1', ...user } },
    ],
  ])('is refused to another that reaches it by another protocol: %j, %j', async (one, other) => {
    const daemon = await daemonForTest('sqlite');
    expect((await daemon.admin('PUT', '/node/n1', one)).status).toBe(200);
    expect(await daemon.admin('PUT', '/node/n2', other)).toMatchObject({
      status: 409,
      body: { type: 'DuplicateError', msg: expect.stringContaining('same machine as node n1 (the BMC of ') as string },
    });
    // The node itself may go from one to the other.
    expect((await daemon.admin('PUT', '/node/n1', other)).status).toBe(200);
  });

  it('is another behind another port: nobody can tell what a forwarder has there', async () => {
    const daemon = await daemonForTest('sqlite');
    const infos = [
      { type: 'ipmi', info: { addr: '127.0.0.1', ...user } },
      { type: 'ipmi', info: { addr: '127.0.0.1', port: 6230, ...user } },
      { type: 'redfish', info: { url: 'https://127.0.0.1:8443', ...user } },
    ];
    for (const [index, info] of infos.entries())
      expect((await daemon.admin('PUT', `/node/n${index}`, info)).status).toBe(200);
  });
});
