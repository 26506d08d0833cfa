import { describe, expect, it } from 'vitest';
import { engines } from '../../service/test/support/services/engines.ts';
import { passwordOf, type Service, serviceForTest } from '../../service/test/support/services/service.ts';
import { done, makeProject, makeUser, reserve } from '../../service/test/support/services/world.ts';
import { shellForTest } from './support/shell.ts';
import { siteShell, smallSite } from './support/cli-service.ts';

const eventCount = async (service: Service): Promise<number> => {
  const { body } = await service.admin.get('/events?limit=1');
  return (body as { events: { id: number }[] }).events[0]?.id ?? 0;
};

describe.each(engines)('corral apply, on %s', (engine) => {
  it('makes an empty service have what the document says, and a second time nothing', async () => {
    const service = await serviceForTest(engine);
    const { apply } = await siteShell(service);
    const first = await apply('--yes');
    expect(first).toMatchObject({ code: 0, err: 'objects that are not in the document (?) were left unchanged: 1\n' });
    expect(first.out).toMatch(/^\+ project red$/m);
    expect(first.out).toMatch(/^nodes +1 +0 +0$/m);
    expect(first.out).toMatch(/^cables +2 +0 +0$/m);

    expect((await service.admin.get('/node/n1')).body).toMatchObject({
      metadata: { rack: 'r1', slots: [1, 2] },
      nics: [
        { label: 'eth0', macaddr: '52:54:00:00:00:01', switch: 'sw', port: 'p1' },
        { label: 'eth1', macaddr: '52:54:00:00:00:02', switch: 'sw', port: 'p2' },
      ],
    });
    expect((await service.admin.get('/switch/sw')).body).toMatchObject({ type: 'mock', ports: ['p1', 'p2', 'p3'] });
    expect((await service.admin.get('/networks')).body).toMatchObject({
      lab: { projects: ['blue', 'red'] },
      campus: { projects: null },
      uplink: { network_id: '3000', projects: ['blue'] },
    });
    expect((await service.as('ada', 'a secret of the site').get('/auth/whoami')).body).toMatchObject({
      projects: ['red'],
    });

    const before = await eventCount(service);
    const second = await apply('--yes');
    expect(second).toMatchObject({ code: 0, out: expect.stringContaining('nothing to do') as string });
    expect(await eventCount(service)).toBe(before);
  });

  it('changes what differs, also when two nics swap their ports, and leaves alone what is extra', async () => {
    const service = await serviceForTest(engine);
    const { apply, edit } = await siteShell(service);
    await apply('--yes');
    await makeProject(service, 'green');
    await makeUser(service, 'eve', 'green');
    await edit((text) =>
      text
        .replace('port: p1', 'port: px')
        .replace('port: p2', 'port: p1')
        .replace('port: px', 'port: p2')
        .replace("'52:54:00:00:00:02'", "'52:54:00:00:00:0a'")
        .replace('rack: r1', 'rack: r2')
        .replace('node/n1', 'node/other')
        .replace('projects: [red], password', 'projects: [red, blue], password')
        .replace('is_admin: false', 'is_admin: true')
        .replace('access: [red, blue]', 'access: [red]'),
    );
    const { code, out } = await apply('--yes');
    expect(code).toBe(0);
    expect(out).toMatch(/^~ node n1: OBM daemon at .*other instead of .*n1$/m);
    expect(out).toMatch(/^\? project green$/m);
    expect(out).toMatch(/^\? user eve$/m);
    expect(out).toMatch(/^\? network lab for project blue$/m);
    expect((await service.admin.get('/node/n1')).body).toMatchObject({
      metadata: { rack: 'r2' },
      nics: [
        { label: 'eth0', port: 'p2' },
        { label: 'eth1', macaddr: '52:54:00:00:00:0a', port: 'p1' },
      ],
    });
    expect((await service.admin.get('/auth/basic/users')).body).toMatchObject({
      ada: { is_admin: true, projects: ['blue', 'red'] },
      eve: { projects: ['green'] },
    });
    expect((await apply('--yes')).out).toContain('nothing to do');
  });

  it('tells all mistakes at once, each with its line, and changes nothing', async () => {
    const service = await serviceForTest(engine);
    const before = await eventCount(service);
    const { apply, write } = await siteShell(
      service,
      smallSite
        .replace('projects: [red, blue]', 'projects: [red, blue, red, a/b]')
        .replace('is_admin: false', 'is_admin: perhaps')
        .replace('net_id: 3000', 'net_id: 5000')
        .replace('port: p2', 'port: p1')
        .replace('macaddr:', 'mcaddr:'),
    );
    const bad = await apply('--yes');
    expect(bad.code).toBe(2);
    const told = bad.err.split('\n').map((line) => line.replace(/^.*site\.yaml:/, ''));
    expect(told[0]).toContain('6 errors; nothing was changed');
    expect(told.slice(1, 7)).toEqual([
      expect.stringMatching(/^1:23 projects\[2\]: duplicate red/),
      expect.stringMatching(/^1:28 projects\[3\]: "a\/b" is not a valid name here; expected 1 to 255 characters/),
      expect.stringMatching(/^3:10 users\.ada\.is_admin: expected true or false/),
      expect.stringMatching(/^7:43 networks\.uplink\.net_id: 5000 is not a VLAN id/),
      expect.stringMatching(/^20:15 nodes\.n1\.nics\.eth0\.mcaddr: did you mean macaddr\?/),
      expect.stringMatching(
        /^21:57 nodes\.n1\.nics\.eth1\.port: port p1 of switch sw is already assigned to nodes\.n1\.nics\.eth0/,
      ),
    ]);

    await write(
      smallSite
        .replace('projects: [red, blue]', 'projects: [red]')
        .replace('password_file: pw\n    ports', 'pasword_file: pw\n    ports')
        .replace('hostname: h', 'hostnam: h')
        .replace('admin_token_file: pw', 'admin_token_file: nowhere')
        .replace('port: p2', 'port: p9'),
    );
    const worse = await apply('--yes');
    expect(worse.code).toBe(2);
    const [, ...mistakes] = worse.err.trim().split('\n');
    expect(mistakes.map((line) => line.replace(/^.*site\.yaml:/, ''))).toEqual([
      expect.stringMatching(/^5:36 networks\.lab\.access\[1\]: project blue exists neither/),
      expect.stringMatching(/^7:36 networks\.uplink\.access\[0\]: project blue exists neither/),
      expect.stringMatching(/^9:3 switches\.sw: hostname is missing/),
      expect.stringMatching(/^9:3 switches\.sw: password_file or password_env is missing/),
      expect.stringMatching(/^11:5 switches\.sw\.hostnam: .*did you mean hostname\?/),
      expect.stringMatching(/^13:5 switches\.sw\.pasword_file: .*did you mean password\?/),
      expect.stringMatching(/^17:\d+ nodes\.n1\.obmd\.admin_token_file: \S*nowhere\S* does not exist/),
      expect.stringMatching(/^21:57 nodes\.n1\.nics\.eth1\.port: port p9 is not among the ports of switch sw/),
    ]);
    expect(await eventCount(service)).toBe(before);
    await write('projects: [red\nusers: {');
    expect((await apply('--yes')).err).toMatch(/site\.yaml:\d+:\d+ invalid YAML/);
    expect(await eventCount(service)).toBe(before);
  });

  it('takes no secret from the document itself', async () => {
    const service = await serviceForTest(engine);
    const { apply, edit } = await siteShell(service);
    await edit((text) => text.replaceAll('password_file: pw', 'password: hunter2'));
    const { code, err } = await apply('--yes');
    expect(code).toBe(2);
    expect(err).toContain(
      'users.ada.password: this document must not contain secrets; use password_file or password_env',
    );
    expect(err).not.toContain('hunter2');
  });

  it('refuses what no call can change, and says what to do first', async () => {
    const service = await serviceForTest(engine);
    const { apply, edit, write } = await siteShell(service);
    await apply('--yes');
    const before = await eventCount(service);
    await edit((text) =>
      text
        .replace('owner: red', 'owner: blue')
        .replace('net_id: 3000', 'net_id: 3001')
        .replace('{ owner: admin }', '{ owner: admin, access: [red] }')
        .replace('type: mock', 'type: cisco-nxos'),
    );
    const { code, err } = await apply('--yes');
    expect(code).toBe(2);
    expect(err).toContain('owner is red at the service and cannot be changed to blue; delete network lab first');
    expect(err).toContain('net_id is 3000 at the service and cannot be changed to 3001');
    expect(err).toContain('access is everybody at the service and cannot be changed to a list');
    expect(err).toContain(
      'type is mock at the service and cannot be changed to cisco-nxos; delete switch sw and its ports first',
    );

    await done(reserve(service, 'red', 'n1'));
    await write(smallSite.replace('port: p2', 'port: p3'));
    expect((await apply('--yes')).err).toMatch(/eth1: it differs .* while node n1 is in project red/);
    await write(smallSite.replace('      eth1', '      eth9').replace('52:54:00:00:00:02', '52:54:00:00:00:03'));
    expect((await apply('--yes')).err).toMatch(/nic eth1 of node n1 is on port p2 .* leaves it there/);
    expect(await eventCount(service)).toBe(before + 1);
  });

  it('changes the fields of a switch that differ, and sends its secrets with them', async () => {
    const service = await serviceForTest(engine);
    const { apply, edit } = await siteShell(service);
    await apply('--yes');
    await done(reserve(service, 'red', 'n1'));
    await edit((text) => text.replace('hostname: h', 'hostname: other'));
    const { code, out } = await apply('--yes');
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^~ switch sw: hostname other instead of h$/m) as string,
    });
    const { body } = await service.admin.get('/switch/sw');
    expect(body).toMatchObject({ fields: { hostname: 'other', username: 'u' }, secrets: ['password'] });
    expect((await service.admin.get('/node/n1')).body).toMatchObject({ project: 'red' });
    // Another password in the file is no difference that can be seen.
    const before = await eventCount(service);
    await edit((text) => text.replaceAll('password_file: pw', 'password_env: NOWHERE'));
    expect(await apply('--yes')).toMatchObject({ code: 0 });
    expect(await eventCount(service)).toBe(before);

    await edit((text) => text.replace('hostname: other', "hostname: ''"));
    expect((await apply('--yes')).err).toMatch(/switches\.sw\.hostname: "" is invalid/);
  });

  it('stops at the first refusal, says how far it came, and goes on from there', async () => {
    const service = await serviceForTest(engine);
    const { apply, edit } = await siteShell(service);
    await done(service.admin.put('/network/elsewhere', { owner: 'admin', access: '', net_id: '3000' }));
    const { code, err } = await apply('--yes');
    expect(code).toBe(1);
    expect(err).toMatch(/site\.yaml:7:3 network uplink of the operator: VLAN 3000 belongs to network elsewhere/);
    expect(err).toMatch(/\d+ of 17 calls were made, \d+ were not/);
    expect((await service.admin.get('/nodes/all')).body).toEqual([]);
    await edit((text) => text.replace('net_id: 3000', 'net_id: 3001'));
    expect(await apply('--yes')).toMatchObject({ code: 0 });
    expect((await service.admin.get('/nodes/all')).body).toEqual(['n1']);
  });

  it('asks, and without anybody to ask wants --yes; a plan alone changes nothing', async () => {
    const service = await serviceForTest(engine);
    const before = await eventCount(service);
    const { apply } = await siteShell(service);
    expect(await apply()).toMatchObject({ code: 2, err: expect.stringContaining('--yes') as string });
    expect(await apply('--dry-run')).toMatchObject({ code: 0 });
    const { out } = await apply('--dry-run', '--json');
    expect(JSON.parse(out)).toMatchObject({ done: 0, error: null, plan: expect.any(Array) as unknown[] });
    expect((JSON.parse(out) as { left: unknown[] }).left).toHaveLength(17);
    expect(await eventCount(service)).toBe(before);
    expect(JSON.parse((await apply('--yes', '--json')).out)).toMatchObject({ done: 17, left: [], error: null });
  });

  it('is for administrators', async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'red');
    await makeUser(service, 'eve', 'red');
    const { path } = await siteShell(service);
    const shell = await shellForTest({
      CORRAL_ENDPOINT: service.url,
      CORRAL_USERNAME: 'eve',
      CORRAL_PASSWORD: passwordOf('eve'),
    });
    expect(await shell(`apply ${path} --yes`)).toMatchObject({ code: 1 });
    expect(await shell('export')).toMatchObject({ code: 1, out: '' });
  });

  it('knows a port by any spelling that its driver takes', async () => {
    const service = await serviceForTest(engine);
    const { apply } = await siteShell(
      service,
      `switches:
  nx: { type: cisco-nxos, hostname: 127.0.0.1, port: 9, username: u, password_file: pw, dummy_vlan: 999, ports: [Eth1/1, Ethernet1/2] }
nodes:
  n1:
    obmd: { uri: 'http://127.0.0.1:9/node/n1', admin_token_file: pw }
    nics: { eth0: { macaddr: '52:54:00:00:00:01', switch: nx, port: Eth1/1 } }
`,
    );
    expect(await apply('--yes')).toMatchObject({ code: 0 });
    expect(await apply('--yes')).toMatchObject({ code: 0, out: expect.stringContaining('nothing to do') as string });
  });
});
