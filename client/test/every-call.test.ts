import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { routeGroups } from '../../service/src/server/routes/all-routes.ts';

const sources = fileURLToPath(new URL('../src/cli', import.meta.url));

/** What the command line does in another way, or cannot do. */
const reasons: Readonly<Record<string, string>> = {
  stream_events: 'events --follow uses followEvents, which resumes where a stream broke off',
  list_usage: 'usage uses allUsage, which asks for one page after the other',
  session_open: 'for browsers: the command line logs in with a token',
  session_close: 'for browsers',
  show_session: 'for browsers: the command line asks whoami, and is refused',
  cleaning_result: 'for the services that clean nodes, which have nothing but a token for it',
  headnode_vnc: 'a WebSocket for a screen in a browser',
};

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

it('every call of the interface has a command, but for those that say why not', async () => {
  const files = (await readdir(sources, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const text = (await Promise.all(files.map((name) => readFile(join(sources, name), 'utf8')))).join('\n');
  const isUsed = (name: string): boolean => new RegExp(`(\\.|')${camelCase(name)}\\b`).test(text);
  const unused = routeGroups.flatMap(({ routes }) => routes.map(({ name }) => name)).filter((name) => !isUsed(name));
  expect(unused.sort()).toEqual(Object.keys(reasons).sort());
});
