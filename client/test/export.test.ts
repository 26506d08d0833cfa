import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engines } from '../../service/test/support/services/engines.ts';
import { serviceForTest } from '../../service/test/support/services/service.ts';
import { siteShell, smallSite } from './support/cli-service.ts';

describe.each(engines)('corral export, on %s', (engine) => {
  it('writes a document without secrets that changes nothing where it comes from', async () => {
    const service = await serviceForTest(engine);
    const { apply, shell, write, path } = await siteShell(service);
    await apply('--yes');
    const { code, out } = await shell('export');
    expect(code).toBe(0);
    expect(out).not.toContain('a secret of the site');
    expect((await shell('export -')).out.split('\n').slice(1)).toEqual(out.split('\n').slice(1));
    await write(out);
    // Secrets are not needed, because nothing has to be made.
    expect(await apply('--yes')).toMatchObject({ code: 0, out: expect.stringContaining('nothing to do') as string });

    expect(await shell(`export ${path}`)).toMatchObject({ code: 2, err: expect.stringContaining('--force') as string });
    expect(await shell(`export ${path} --force`)).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 nodes, 1 switches and 2 projects are in') as string,
    });
    expect((await readFile(path, 'utf8')).split('\n').slice(1)).toEqual(out.split('\n').slice(1));
  });

  it('makes another service the same, once the secrets are in their files', async () => {
    const [one, other] = [await serviceForTest(engine), await serviceForTest(engine)];
    const from = await siteShell(one);
    await from.apply('--yes');
    const document = (await from.shell('export')).out;

    const to = await siteShell(other, document);
    const missing = await to.apply('--yes');
    expect(missing.code).toBe(2);
    const files = [...missing.err.matchAll(/(\S+) does not exist/g)].map(([, file]) => file ?? '');
    expect(files).toEqual(['secrets/users/ada', 'secrets/switches/sw/password', 'secrets/obmd/n1']);
    for (const file of files) {
      await mkdir(dirname(join(to.shell.home, file)), { recursive: true });
      await writeFile(join(to.shell.home, file), 'another secret');
    }
    // The first administrator is there already, and needs no password.
    expect(await to.apply('--yes')).toMatchObject({ code: 0 });
    const lines = (text: string): string[] => text.split('\n').slice(1);
    expect(lines((await to.shell('export')).out)).toEqual(lines(document));
  });

  it('keeps labels that look like something else', async () => {
    const service = await serviceForTest(engine);
    const odd = smallSite
      .replace('[red, blue]', '[red, blue, "007", "true", "null", "a: b", "#c", "*d", "5e3", "<<", "雪"]')
      .replace('ports: [p1, p2, p3]', 'ports: [p1, p2, "3", "0x10", "1:2", gi1/0/1]');
    const { apply, shell, write, path } = await siteShell(service, odd);
    expect(await apply('--yes')).toMatchObject({ code: 0 });
    const { body } = await service.admin.get('/projects');
    expect(body).toEqual(expect.arrayContaining(['007', 'true', 'null', 'a: b', '#c', '*d', '5e3', '<<', '雪']));
    await write((await shell('export')).out);
    expect(await apply('--yes')).toMatchObject({ code: 0, out: expect.stringContaining('nothing to do') as string });
    expect((await stat(path)).isFile()).toBe(true);
  });
});

it('shares what is the same by anchors and merge keys', async () => {
  const service = await serviceForTest('sqlite');
  const { apply } = await siteShell(
    service,
    `switches:
  sw1: &usual { type: mock, hostname: h1, username: u, password_file: pw }
  sw2: { <<: *usual, hostname: h2 }
  sw3:
    <<: [*usual]
    hostname: h3
`,
  );
  expect(await apply('--yes')).toMatchObject({ code: 0 });
  const hosts = await Promise.all(
    ['sw1', 'sw2', 'sw3'].map(async (label) => (await service.admin.get(`/switch/${label}`)).body),
  );
  expect(hosts).toMatchObject(
    ['h1', 'h2', 'h3'].map((hostname) => ({
      type: 'mock',
      fields: { hostname, username: 'u' },
      secrets: ['password'],
    })),
  );
});
