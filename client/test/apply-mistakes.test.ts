import { describe, expect, it } from 'vitest';
import { type Service, serviceForTest } from '../../service/test/support/services/service.ts';
import { done, makeProject, reserve } from '../../service/test/support/services/world.ts';
import { siteShell, smallSite } from './support/cli-service.ts';

const told = (err: string): string[] =>
  err
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^.*site\.yaml:/, ''));

const projects = async (service: Service): Promise<unknown> => (await service.admin.get('/projects')).body;

describe('a document that cannot be meant', () => {
  it.each([
    ['an alias of nothing', 'projects: *none\n', '1:11 there is no anchor &none before it'],
    ['one that holds itself', 'nodes: &a { <<: *a }\n', '1:17 *a refers to itself'],
    ['metadata that holds itself', smallSite.replace('rack: r1', 'rack: &m [*m]'), '18:27 *m refers to itself'],
    ['a name twice, spelled otherwise', 'users:\n  1: {}\n  "1": {}\n', '3:3 users.1: duplicate name'],
    ['names that are equal', 'projects: []\nprojects: []\n', 'duplicate projects'],
    ['a list where names belong', '- projects\n', '1:1 expected a mapping'],
  ])('is reported with its line: %s', async (_, text, mistake) => {
    const service = await serviceForTest('sqlite');
    const { apply } = await siteShell(service, text);
    const { code, err } = await apply('--yes');
    expect(code).toBe(2);
    expect(err).toContain(mistake);
    expect(await projects(service)).toEqual([]);
  });

  it('is refused when its aliases would make it endless', async () => {
    const service = await serviceForTest('sqlite');
    const bomb = Array.from({ length: 30 }, (_, depth) =>
      depth === 0
        ? '  n0: &a0 { metadata: { x: 1 } }'
        : `  n${depth}: &a${depth} { <<: [*a${depth - 1}, *a${depth - 1}] }`,
    );
    const { apply } = await siteShell(service, ['nodes:', ...bomb, ''].join('\n'));
    expect(await apply('--yes')).toMatchObject({ code: 2, err: expect.stringContaining('too large') as string });
  });

  it('has what is wrong with it and what is wrong with the service told at once, and one slip as one mistake', async () => {
    const service = await serviceForTest('sqlite');
    const { apply } = await siteShell(
      service,
      smallSite
        .replace('http://127.0.0.1:9/node/n1', 'n1')
        .replace('net_id: 3000', 'net_id: 5000')
        .replace('owner: red', 'owner: rde')
        .replace('macaddr:', 'mcaddr:'),
    );
    const { code, err } = await apply('--yes');
    expect(code).toBe(2);
    expect(told(err)).toEqual([
      expect.stringMatching(/^5:3 networks\.lab: project rde exists neither/),
      expect.stringMatching(/^7:43 networks\.uplink\.net_id: 5000/),
      expect.stringMatching(/^17:13 nodes\.n1\.obmd\.uri: "n1" is not an http or https address/),
      expect.stringMatching(/^20:15 nodes\.n1\.nics\.eth0\.mcaddr: did you mean macaddr/),
    ]);
  });
});

describe('a document for a service that has some of it', () => {
  it('does not get a secret told that stands in it by mistake', async () => {
    const service = await serviceForTest('sqlite');
    const { apply, edit } = await siteShell(service);
    await apply('--yes');
    await edit((text) => text.replace('password_file: pw\n    ports', 'password: hunter2\n    ports'));
    const { code, err } = await apply('--yes');
    expect(code).toBe(2);
    expect(err).toContain('switches.sw.password: this document must not contain secrets');
    expect(err).not.toContain('hunter2');
  });

  it('is not begun where a token would be refused half-way', async () => {
    const service = await serviceForTest('sqlite');
    const { shell, path, edit } = await siteShell(service);
    const { body } = await done(service.admin.put('/auth/token/mine', {}));
    const env = { CORRAL_TOKEN: (body as { token: string }).token };
    await edit((text) => text.replace('is_admin: false', 'is_admin: true'));
    const { code, err } = await shell(`apply ${path} --yes`, { env });
    expect(code).toBe(2);
    expect(err).toContain('users.ada: an API token (corral login makes one) may not change who is an administrator');
    expect(await projects(service)).toEqual([]);
  });

  it('takes no nic apart that it could not put together again', async () => {
    const service = await serviceForTest('sqlite');
    const { apply, write } = await siteShell(service);
    await apply('--yes');
    await write(smallSite.replace("'52:54:00:00:00:01', switch: sw, port: p1", "'52:54:00:00:00:0f'"));
    expect((await apply('--yes')).err).toMatch(/eth0: changing macaddr .* connect it to again: switch sw, port p1/);
    await makeProject(service, 'green');
    await done(service.admin.post('/switch/sw/port/p1/detach_nic'));
    await done(reserve(service, 'green', 'n1'));
    expect((await apply('--yes')).err).toMatch(/eth0: it differs .* while node n1 is in project green/);
    expect((await service.admin.get('/node/n1')).body).toMatchObject({ nics: [{ macaddr: '52:54:00:00:00:01' }, {}] });
  });
});
