import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startLabObmd } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { passwordOf, serviceForTest } from '../../service/test/support/service.ts';
import { done, makeNode, makeProject, makeUser } from '../../service/test/support/world.ts';
import { routeGroups } from '../../service/src/server/routes/all.ts';
import { sdkModule } from '../../service/src/server/sdk.ts';
import { format, resolveConfig } from 'prettier';
import { commands } from '../src/cli/commands/all.ts';
import { usageOf } from '../src/cli/parse.ts';
import { shellForTest } from './support/shell.ts';

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const textOf = (name: string): Promise<string> => readFile(path(name), 'utf8');
const blocks = (markdown: string, language: string): string[] =>
  [...markdown.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].flatMap(([, of, text]) => (of === language ? [text ?? ''] : []));

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
});
