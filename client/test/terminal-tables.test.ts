import { describe, expect, it } from 'vitest';
import { adminPassword, serviceForTest } from '../../service/test/support/services/service.ts';
import {
  connect,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  reserve,
} from '../../service/test/support/services/world.ts';
import { sweep, tamper } from '../../service/test/support/switches/drift-helpers.ts';
import { programFile } from '../../test/support/built-program.ts';
import { terminalForTest } from './support/terminal.ts';

const escape = '\u001b';
const longest = 'the-project-with-the-very-long-name-that-nobody-can-remember';
const wide = '天文学研究室の長い名前のプロジェクト';

/** A terminal of an administrator whose users are in projects with long and with wide names. */
const scene = async () => {
  const service = await serviceForTest('sqlite');
  await makeProject(service, longest);
  await makeProject(service, wide);
  await makeUser(service, 'ada', longest, wide);
  await makeUser(service, 'grace');
  const env = { CORRAL_ENDPOINT: service.url, CORRAL_USERNAME: 'admin', CORRAL_PASSWORD: adminPassword };
  return { service, terminal: await terminalForTest(env) };
};

/** East Asian letters take two columns. */
const columnsOf = (line: string): number => line.length + (line.match(/[\u3000-\u9fff]/g)?.length ?? 0);

describe('a table on a terminal', () => {
  it('fits into its width, wrapped between words, also in letters that take two columns', async () => {
    const { terminal } = await scene();
    const list = terminal.corral('user list', { columns: 80 });
    expect(await list.exit()).toBe(0);
    const lines = list.screen().split('\n');
    // A line that is too long would be two on the screen.
    expect(lines).toHaveLength(5);
    expect(lines.every((line) => columnsOf(line) <= 80)).toBe(true);
    for (const name of [longest, wide]) expect(lines.some((line) => line.includes(name))).toBe(true);
    const whole = terminal.corral('user list', { columns: 120 });
    await whole.exit();
    expect(whole.screen()).toContain(`${longest}, ${wide}`);
  });

  it('is a paragraph for each row where the words of a row do not fit beside each other', async () => {
    const { terminal } = await scene();
    const list = terminal.corral('user list', { columns: 72 });
    expect(await list.exit()).toBe(0);
    expect(list.screen()).toMatch(new RegExp(`user +ada\\nadmin\\nprojects +${longest},\\n +${wide}\\n\\nuser +admin`));
  });

  it('of the ports of a switch fits into 80 columns', async () => {
    const { service, terminal } = await scene();
    await makeNode(service, 'rack3-node17', ['enp129s0f0', 'enp129s0f1'], 'tor-3');
    await makeNetwork(service, 'observatory-storage', longest);
    await sweep(service, 'tor-3');
    await reserve(service, longest, 'rack3-node17');
    await connect(service, 'rack3-node17', 'enp129s0f0', 'observatory-storage');
    tamper(service, 'tor-3', 'rack3-node17/enp129s0f1', { native: 1, tagged: [200, 201, 300] });
    await sweep(service, 'tor-3');
    const list = terminal.corral('switch show tor-3', { columns: 80 });
    expect(await list.exit()).toBe(0);
    const table = list.screen().split('\n');
    const heading = table.find((line) => line.startsWith('port '));
    expect(heading).toMatch(/^port +nic +networks +carries +state$/);
    const rows = table.filter((line) => line.startsWith('rack3-node17/enp129s0f'));
    expect(rows).toHaveLength(2);
  });

  it('is not wrapped with --wide', async () => {
    const { terminal } = await scene();
    const list = terminal.corral('user list --wide', { columns: 40 });
    expect(await list.exit()).toBe(0);
    expect(
      list
        .written()
        .split('\r\n')
        .some((line) => line.includes(`${longest}, ${wide}`)),
    ).toBe(true);
  });

  it('keeps its columns below each other, whatever the letters', async () => {
    const { service, terminal } = await scene();
    await makeNode(service, '計算機', ['eth0']);
    await makeNode(service, 'n1', ['eth0']);
    const events = terminal.corral('node list --columns node', { columns: 40 });
    await events.exit();
    expect(events.screen()).toBe('node\nn1\n計算機');
    const shown = terminal.corral('user list', { columns: 78 });
    await shown.exit();
    const rows = shown.screen().split('\n');
    const column = (rows[0] ?? '').indexOf('projects');
    expect(rows.find((row) => row.startsWith('ada'))?.slice(column)).toMatch(/^\S/);
  });

  it('has colours where somebody can see them, and not where NO_COLOR says so or a program reads', async () => {
    const { terminal } = await scene();
    const colourful = terminal.corral('user list');
    await colourful.exit();
    expect(colourful.written()).toContain(`${escape}[1m`);
    for (const session of [
      terminal.corral('user list', { env: { NO_COLOR: '1' } }),
      terminal.corral('node show nowhere', { env: { NO_COLOR: '1' } }),
      terminal.run('/bin/sh', ['-c', '"$0" "$1" user list | cat', process.execPath, programFile('corral')]),
      terminal.corral('user list --json'),
    ]) {
      await session.exit();
      expect(session.screen()).not.toBe('');
      expect(session.written()).not.toContain(escape);
    }
    const piped = terminal.run(
      '/bin/sh',
      ['-c', '"$0" "$1" user list | cat', process.execPath, programFile('corral')],
      {
        columns: 200,
      },
    );
    await piped.exit();
    expect(piped.screen()).toContain(longest);
    const empty = terminal.corral('user list', { env: { NO_COLOR: '' } });
    await empty.exit();
    expect(empty.written()).toContain(`${escape}[1m`);
  });

  it('does what labels say of the cursor nowhere', async () => {
    const { service, terminal } = await scene();
    await makeNode(service, 'n1');
    await service.admin.put('/node/n1/metadata/note', { value: `${escape}[2Jgone\u0007\u202e` });
    const shown = terminal.corral('node show n1');
    await shown.exit();
    for (const sign of [`${escape}[2J`, '\u0007', '\u202e']) expect(shown.written()).not.toContain(sign);
    expect(shown.screen()).toContain('\\u001b[2Jgone\\u0007\\u202e');
  });
});
