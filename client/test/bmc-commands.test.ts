import { hasPart, startIpmiSim, startLabObmd } from '@corral/lab';
import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../../service/test/support/services/engines.ts';
import { adminPassword, type Service, serviceForTest } from '../../service/test/support/services/service.ts';
import { done } from '../../service/test/support/services/world.ts';
import { siteShell } from './support/cli-service.ts';
import { shellForTest } from './support/shell.ts';
import { keys, terminalForTest } from './support/terminal.ts';

const inside = { CORRAL_OBMD: '127.0.0.1:0', CORRAL_OBMD_CALL_GAP: '0', CORRAL_OBM_TIMEOUT: '10' };
const asAdmin = ({ url }: Service) => ({
  CORRAL_ENDPOINT: url,
  CORRAL_USERNAME: 'admin',
  CORRAL_PASSWORD: adminPassword,
});

const site = `nodes:
  n1:
    bmc: { type: redfish, url: 'https://192.0.2.1', user: corral, password_file: pw }
    nics:
      eth0: { macaddr: '52:54:00:00:00:01' }
  n2:
    bmc: { type: ipmi, addr: 192.0.2.2, user: corral, port: 6230, password_file: pw }
  n3:
    bmc: { type: libvirt, uri: 'test:///default', domain: n3 }
  n4:
    bmc: { type: mock, addr: n4 }
`;

describe.each(engines)('corral bmc, on %s', (engine) => {
  it('registers, shows, lists, tests and deletes, without a second credential', async () => {
    const service = await serviceForTest(engine, inside);
    const shell = await shellForTest(asAdmin(service));
    const pw = await shell.file('pw', 'hush-bmc');
    expect((await shell('node register n1')).out).toContain('node n1 is registered');
    await shell('node register n2');
    expect(await shell('bmc test n1')).toMatchObject({
      code: 1,
      err: expect.stringContaining('corral bmc register') as string,
    });
    expect((await shell('bmc types')).out).toMatch(/^ipmi +addr user password +port cipher/m);
    expect(await shell('bmc register n1 mock addr=n1')).toMatchObject({
      code: 0,
      out: expect.stringContaining('corral bmc test n1') as string,
    });
    expect((await shell('bmc test n1')).out).toMatch(
      /^answered +mock BMC of machine n1\nprivileges +all\ntook +[\d.]+ s\n$/,
    );
    await shell(`bmc register n2 ipmi addr=192.0.2.7 user=corral --password-file ${pw}`);
    const shown = await shell('bmc show n2');
    expect(shown.out).toMatch(/type +ipmi\naddr +192\.0\.2\.7\nuser +corral\nOBM daemon +inside the service\n/);
    const listed = await shell('bmc list');
    expect(listed.out).toMatch(/^n1 +mock +n1 +http[^]*^n2 +ipmi +192\.0\.2\.7 +http/m);
    expect(JSON.parse((await shell('bmc list --json')).out)).toMatchObject({
      bmcs: { n1: { type: 'mock', info: { addr: 'n1' } }, n2: { type: 'ipmi' } },
      unread: {},
    });
    expect((await shell('bmc delete n2')).out).toContain('the BMC of node n2 is deleted');
    expect((await shell('bmc list')).out).toMatch(/^n2 +none/m);
    expect([shown.out, listed.out, service.log.join('')].join('')).not.toContain('hush-bmc');
  });

  it('apply makes the BMCs of a whole site, and export writes them without secrets', async () => {
    const service = await serviceForTest(engine, inside);
    const { shell, apply, edit, write, path } = await siteShell(service, site);
    const made = await apply('--yes');
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain('+ BMC of node n2 (ipmi)');
    expect((await service.admin.get('/node/n2/bmc')).body).toEqual({
      type: 'ipmi',
      info: { addr: '192.0.2.2', user: 'corral', port: 6230 },
    });
    expect((await apply('--yes')).out).toContain('nothing to do');

    await edit((text) => text.replace('192.0.2.2', '192.0.2.3'));
    expect((await apply('--yes')).out).toMatch(/^~ BMC of node n2 \(ipmi\)$[^]*now matches/m);

    const exported = await shell('export');
    expect(exported).toMatchObject({ code: 0, err: '' });
    expect(exported.out).not.toContain('a secret of the site');
    expect(exported.out).not.toContain('obmd');
    expect(exported.out).toContain('password_file: secrets/bmcs/n2/password');
    await write(exported.out);
    expect((await apply('--yes')).out).toContain('nothing to do');
    expect(await readFile(path, 'utf8')).toContain('type: libvirt');
  });

  it('is refused where it would end what somebody does, and says the way out', async () => {
    const service = await serviceForTest(engine, inside);
    const { shell, apply, edit } = await siteShell(service, site);
    await apply('--yes');
    await done(service.admin.put('/node/n4/obm', { enabled: true }));
    expect(await shell('bmc delete n4')).toMatchObject({
      code: 1,
      err: expect.stringContaining('disable it first') as string,
    });
    await edit((text) => text.replace('addr: n4', 'addr: other'));
    expect(await apply('--yes')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/site\.yaml:\d+:\d+ BMC of node n4 \(mock\): OBM of node n4 is enabled/) as string,
    });
  });
});

describe('a site document with BMCs', () => {
  it.each([
    [
      'type: ipmi, addr: 192.0.2.2',
      'type: imp, addr: 192.0.2.2',
      'BMCs of type imp; expected one of ipmi, libvirt, mock, redfish',
    ],
    ['password_file: pw }\n  n3', 'password: hush }\n  n3', 'must not contain secrets; use password_file'],
    ['user: corral, port', 'usr: corral, port', 'BMCs of type ipmi have no field usr; did you mean user?'],
    ['port: 6230', 'port: 70000', '70000 is invalid'],
    ['type: mock, addr: n4', 'addr: n4', 'type is missing: the kind of BMC, such as ipmi'],
  ])('%s instead of what is right is found before anything is changed', async (right, wrong, words) => {
    const service = await serviceForTest('sqlite', inside);
    const { apply } = await siteShell(service, site.replace(right, wrong));
    const ran = await apply('--yes');
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('nothing was changed') as string });
    expect(ran.err).toContain(words);
    expect(ran.err).not.toContain('hush');
  });

  it('needs the daemon of a node where none runs inside the service', async () => {
    const service = await serviceForTest('sqlite');
    const { apply, shell } = await siteShell(service, site);
    expect((await apply('--yes')).err).toContain(
      'node n1 is new and needs obmd: no OBM daemon runs inside the service',
    );
    expect(await shell('node register n1')).toMatchObject({
      code: 1,
      err: expect.stringContaining('CORRAL_OBMD') as string,
    });
  });

  it('is exported without the BMCs of a daemon that does not answer, and says so', async () => {
    const service = await serviceForTest('sqlite');
    const obmd = await startLabObmd({ adminToken: 't' });
    onTestFinished(() => obmd.close());
    obmd.add('n1');
    await done(service.admin.put('/node/n1', { obmd: { uri: obmd.uri('n1'), admin_token: 't' } }));
    for (const node of ['n2', 'n3']) {
      const uri = `http://127.0.0.1:9/node/${node}`;
      await done(service.admin.put(`/node/${node}`, { obmd: { uri, admin_token: 't' } }));
    }
    const shell = await shellForTest(asAdmin(service));
    const { code, out, err } = await shell('export');
    expect(code).toBe(0);
    expect(out.match(/bmc:/g)).toHaveLength(1);
    expect(err.match(/BMCs of the OBM daemon at http:\/\/127\.0\.0\.1:9 are left out/g)).toHaveLength(1);
    expect((await shell('bmc list')).out).toMatch(/^n1 +mock[^]*^n2 +not known/m);
  });
});

describe.skipIf(!hasPart('ipmi_sim'))('a BMC at a terminal', () => {
  it('is registered with a password that is asked for, and tested', async () => {
    const sim = await startIpmiSim({ pass: 'hush-hush' });
    onTestFinished(() => sim.stop());
    const service = await serviceForTest('sqlite', { ...inside, CORRAL_OBMD_CALL_TIMEOUT: '2' });
    const terminal = await terminalForTest(asAdmin(service));
    expect(await terminal.corral('node register n1').exit()).toBe(0);
    const registering = terminal.corral(`bmc register n1 ipmi addr=${sim.addr} port=${sim.port} user=${sim.user}`);
    await registering.shows('the password of the BMC of node n1:');
    registering.type(`${sim.pass}${keys.enter}`);
    expect(await registering.exit()).toBe(0);
    expect(registering.written()).not.toContain(sim.pass);
    const test = terminal.corral('bmc test n1');
    expect(await test.exit()).toBe(0);
    expect(test.screen()).toMatch(/answered +IPMI 2\.0,[^]*privileges +administrator\ntook +[\d.]+ s/);
    await sim.hang();
    const hung = terminal.corral('bmc test n1 --timeout 30');
    expect(await hung.exit()).toBe(1);
    expect(hung.screen()).toMatch(/did not answer|does not answer/);
  });
});
