import { readFile } from 'node:fs/promises';
import { startLabObmd } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { passwordOf, serviceForTest } from '../../service/test/support/services/service.ts';
import { done, makeNode, makeProject, makeUser } from '../../service/test/support/services/world.ts';
import { routeGroups } from '../../service/src/server/routes/all-routes.ts';
import { sdkModule } from '../../service/src/server/generate-sdk.ts';
import { format, resolveConfig } from 'prettier';
import { commands } from '../src/cli/commands/all-commands.ts';
import { usageOf } from '../src/cli/parse-arguments.ts';
import { blocks, path, textOf } from './support/blocks.ts';
import { shellForTest } from './support/shell.ts';
import { keys, terminalForTest } from './support/terminal.ts';

it('the calls of the SDK are those of the service; `npm run generate` makes them', async () => {
  const file = path('client/src/calls.ts');
  const made = await format(sdkModule(routeGroups), { ...(await resolveConfig(file)), filepath: file });
  expect(await readFile(file, 'utf8')).toBe(made);
});

describe('docs/cli.md', () => {
  it('has every command as it is typed, and what it does', async () => {
    const rows = (await textOf('docs/cli.md')).split('\n').filter((line) => line.startsWith('| `corral '));
    const shown = commands.filter(({ words }) => !words[0]?.startsWith('_'));
    const told = rows.map((row) =>
      row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('`', '').replaceAll('\\|', '|')),
    );
    expect(told.map(([, usage, about]) => [usage, about])).toEqual(
      shown.map((command) => [usageOf({ ...command, options: {} }), command.about]),
    );
  });

  it('has a morning’s work that works', async () => {
    const service = await serviceForTest('sqlite');
    const obmd = await startLabObmd({ adminToken: 't' });
    onTestFinished(() => obmd.close());
    obmd.add('node-12');
    await makeProject(service, 'astronomy');
    await makeUser(service, 'vera', 'astronomy');
    await makeNode(service, 'node-12', ['eth0']);
    await done(service.admin.put('/node/node-12/obmd', { uri: obmd.uri('node-12'), admin_token: 't' }));
    const shell = await shellForTest({
      CORRAL_ENDPOINT: service.url,
      CORRAL_USERNAME: 'vera',
      CORRAL_PASSWORD: passwordOf('vera'),
    });
    const lines = blocks(await textOf('docs/cli.md'), 'sh')
      .flatMap((block) => block.split('\n'))
      .filter((line) => line.startsWith('corral '));
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines)
      expect({ line, ...(await shell(line.replace('corral ', ''))) }).toMatchObject({ code: 0 });
  });

  it('shows a login as it is', async () => {
    const service = await serviceForTest('sqlite');
    await done(service.admin.put('/auth/basic/user/vera', { password: 'vera-demo' }));
    const terminal = await terminalForTest();
    const shown = blocks(await textOf('docs/cli.md'), 'console');
    // The other is that of device-command.test.ts.
    expect(shown).toHaveLength(2);
    const [typed = '', ...answers] = (shown[0] ?? '').trimEnd().split('\n');
    const usual = 'http://127.0.0.1:5000';
    const login = terminal.corral(typed.replace('$ corral ', '').replace(usual, service.url), { columns: 200 });
    await login.shows('password of vera at');
    login.type(`vera-demo${keys.enter}`);
    expect(await login.exit()).toBe(0);
    const timeless = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'some time');
    const screen = login.screen().replaceAll(service.url, usual).replace(terminal.home, '~');
    expect(timeless(screen).split('\n')).toEqual(answers.map(timeless));
  });

  it('has no code that nobody runs, but how it is installed', async () => {
    const text = await textOf('docs/cli.md');
    const languages = [...text.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
    expect(languages.every((language) => language === 'sh' || language === 'console')).toBe(true);
    const lines = blocks(text, 'sh').flatMap((block) => block.trimEnd().split('\n'));
    expect(lines.filter((line) => !line.startsWith('corral '))).toEqual([
      expect.stringMatching(/^npm install --global \.\/corral-[\d.]+\.tgz$/),
    ]);
  });
});
