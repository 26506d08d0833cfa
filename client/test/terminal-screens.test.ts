import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, adminPassword, startService } from '../../service/test/support/services/service.ts';
import { connect, reserve } from '../../service/test/support/services/world.ts';
import { siteShell, smallSite } from './support/cli-service.ts';
import { terminalForTest } from './support/terminal.ts';

/*
 * What people see, at two widths. A change of a screen is a change of a file in `screens/`: look at it there, and take it
 * over with `vitest run -u`.
 */

const site = `${smallSite}  n2:
    obmd: { uri: 'http://127.0.0.1:9/node/n2', admin_token_file: pw }
    metadata:
      cpu: two processors with forty-eight cores each
      location: the second room on the left, behind the library
      rack: r2
`;

/** What differs from one run to the next, with something as wide in its place. */
const steady = (screen: string): string =>
  screen
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-02T03:04:05.678Z')
    // A column of ages is as wide as the oldest.
    .replaceAll(/as of +/g, 'as of    ')
    .replaceAll(/(?<=^sw +)(?:now|\d+ s ago) +(?=as recorded)/gm, `9 s ago${' '.repeat(13)}`)
    .replaceAll(/(?<=^n1 eth0 .*)(?:now|\d+ s ago) +(?=sw p1)/gm, '9 s ago  ')
    .replaceAll(/(?<=^sw .*|^last read +)now(?: {4}|$)/gm, '9 s ago')
    .replaceAll(/\d+ (?:s|min) ago/g, (age) => '9 s ago'.padEnd(age.length))
    .replaceAll(/127\.0\.0\.1:\d{5}/g, '127.0.0.1:54321')
    .replaceAll(/corral-cli-\w{6}/g, 'corral-cli-abcdef')
    .replaceAll(/ +$/gm, '');

const screens: readonly (readonly [name: string, line: string, code: number])[] = [
  ['help', 'help', 0],
  ['help of a command', 'help node list', 0],
  ['help of a group', 'help node nic', 0],
  ['help of a large group', 'help switch', 0],
  ['version', '--version', 0],
  ['node list', 'node list', 0],
  ['node list wide', 'node list --wide', 0],
  ['node show', 'node show n1', 0],
  ['node show long', 'node show n2', 0],
  ['switch list', 'switch list', 0],
  ['switch show', 'switch show sw', 0],
  ['network list', 'network list', 0],
  ['project list', 'project list', 0],
  ['user list', 'user list', 0],
  ['bmc list', 'bmc list', 0],
  ['events', 'events --limit 3', 0],
  ['drift', 'drift', 0],
  ['reach', 'reach lab', 0],
  ['unknown command', 'project show x', 2],
  ['missing argument', 'node network connect n1', 2],
  ['not found', 'node show n9', 1],
  ['refused', 'node delete n1', 1],
];

describe('the command line on a terminal', () => {
  let service: Service;
  let path: string;
  beforeAll(async () => {
    service = await startService('sqlite');
  });
  afterAll(async () => {
    await service.stop();
    await rm(service.dataDir, { recursive: true, force: true });
  });

  it('shows a plan', async () => {
    const shell = await siteShell(service, site);
    path = shell.path;
    const plan = async (columns: number): Promise<void> => {
      const terminal = await terminalForTest(asAdmin());
      const session = terminal.corral(`apply ${path} --dry-run`, { columns });
      expect(await session.exit()).toBe(0);
      await expect(`${steady(session.screen())}\n`).toMatchFileSnapshot(`screens/apply-dry-run-${columns}.txt`);
    };
    await plan(80);
    await plan(120);
    expect((await shell.apply('--yes')).code).toBe(0);
    await reserve(service, 'red', 'n1');
    await connect(service, 'n1', 'eth0', 'lab');
  });

  const asAdmin = () => ({
    CORRAL_ENDPOINT: service.url,
    CORRAL_USERNAME: 'admin',
    CORRAL_PASSWORD: adminPassword,
  });

  describe.each([80, 120])('of %i columns', (columns) => {
    it.each(screens)('%s', async (name, line, code) => {
      const terminal = await terminalForTest(asAdmin());
      const session = terminal.corral(line, { columns });
      expect(await session.exit()).toBe(code);
      const file = `screens/${name.replaceAll(' ', '-')}-${columns}.txt`;
      await expect(`${steady(session.screen())}\n`).toMatchFileSnapshot(file);
    });

    it('a refusal with a hint', async () => {
      const terminal = await terminalForTest({ CORRAL_ENDPOINT: service.url });
      const session = terminal.corral('node delete n1', { columns });
      expect(await session.exit()).not.toBe(0);
      await expect(`${steady(session.screen())}\n`).toMatchFileSnapshot(`screens/hint-${columns}.txt`);
    });
  });
});
