import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../service/test/support/services/engines.ts';
import { passwordOf } from '../../service/test/support/services/service.ts';
import { sharedService } from '../../service/test/support/services/shared-service.ts';
import {
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
} from '../../service/test/support/services/world.ts';
import { plainWords } from '../src/cli/plain-words.ts';
import { shellForTest } from './support/shell.ts';

const ofHttp = /\b(GET|PUT|POST|PATCH|DELETE|HTTP) |WWW-Authenticate|\bheaders?\b|force=true|read_only|this call\b/;

describe.each(engines)('hints after a refusal, on %s', (engine) => {
  const service = sharedService(engine);

  beforeAll(async () => {
    for (const project of ['red', 'blue']) await makeProject(service(), project);
    await makeUser(service(), 'ada', 'red');
    await makeUser(service(), 'nobody');
    await makeNetwork(service(), 'blue-net', 'blue');
    await makeNode(service(), 'theirs', ['eth0']);
    await eventually(async () =>
      (await service().admin.post('/project/blue/connect_node', { node: 'theirs' })).status === 200 ? true : undefined,
    );
  });

  /** What is on the error output of a command that is refused: the message, and the hint. */
  const refused = async (line: string, env: Readonly<Record<string, string>>) => {
    const shell = await shellForTest({ CORRAL_ENDPOINT: service().url, ...env });
    const { code, err } = await shell(line);
    expect({ line, code }).toEqual({ line, code: 1 });
    const [message = '', hint = ''] = err.trimEnd().split('\n');
    expect(message).not.toMatch(ofHttp);
    expect(hint).not.toMatch(ofHttp);
    return { message, hint };
  };
  const as = (name: string) => ({ CORRAL_USERNAME: name, CORRAL_PASSWORD: passwordOf(name) });
  /** A shell whose profile has the token of a login here. */
  const loggedIn = async (name: string) => {
    const shell = await shellForTest();
    const password = await shell.file('pw', passwordOf(name));
    const { code } = await shell(`login ${service().url} --username ${name} --password-file ${password}`);
    expect(code).toBe(0);
    return shell;
  };

  it('without credentials: log in, and where', async () => {
    const { url } = service();
    expect(await refused('project node list red', {})).toEqual({
      message: 'corral: you have to log in for this',
      hint: `you are not logged in at ${url}: corral login ${url}`,
    });
  });

  it('without administrative access: who one is, and no advice to log in', async () => {
    const hint = `you are ada at ${service().url}, without administrative access; ask an administrator`;
    expect(await refused('user list', as('ada'))).toEqual({
      message: 'corral: this needs administrative access, which ada does not have',
      hint,
    });
    const shell = await loggedIn('ada');
    expect((await shell('switch list')).err).toContain(hint);
    expect((await shell('switch list')).err).not.toContain('corral login');
  });

  it('in another project: the one that was named, and the own ones', async () => {
    const who = `you are ada at ${service().url}, in project red`;
    expect((await refused('project node list blue', as('ada'))).hint).toBe(
      `${who}, and not in project blue; an administrator can add you: corral user project add ada blue`,
    );
    expect((await refused('node list --project blue', as('ada'))).hint).toContain('and not in project blue');
    expect((await refused('network create n blue', as('ada'))).hint).toContain('and not in project blue');
    expect((await refused('node show theirs', as('ada'))).hint).toBe(
      `${who}; an administrator can add you to the project that has it`,
    );
    expect((await refused('project node list red', as('nobody'))).hint).toContain(
      'in no project, and not in project red',
    );
  });

  it('without access to a network: who can grant it', async () => {
    for (const line of ['network show blue-net', 'network grant-access blue-net red'])
      expect((await refused(line, as('ada'))).hint).toBe(
        `you are ada at ${service().url}, in project red; its owner or an administrator can grant access: corral network grant-access blue-net PROJECT`,
      );
  });

  it('with a read-only token: another token', async () => {
    const made = await done(service().as('ada').put('/auth/token/ro', { expires_in: 600, read_only: true }));
    const { token } = made.body as { token: string };
    expect(await refused('network create n red', { CORRAL_TOKEN: token })).toEqual({
      message: 'corral: this token is read-only',
      hint: `you are ada at ${service().url}, with a read-only token; corral token create NAME creates one that may change things`,
    });
  });

  it('with a token for another endpoint: which profile, and for what', async () => {
    const shell = await loggedIn('ada');
    const elsewhere = service().url.replace('127.0.0.1', 'localhost');
    const { err } = await shell(`project node list red --endpoint ${elsewhere}`);
    expect(err).toContain(
      `profile default is for ${service().url}, so its token was not sent to ${elsewhere}; log in there: corral login ${elsewhere} --profile NAME`,
    );
  });

  it('with a token that does not count any more: log in again, or where it came from', async () => {
    const shell = await loggedIn('ada');
    const tokens = (await done(service().as('ada').get('/auth/tokens'))).body as { token: string }[];
    for (const { token } of tokens.filter(({ token: label }) => label.startsWith('corral login')))
      await done(
        service()
          .as('ada')
          .del(`/auth/token/${encodeURIComponent(token)}`),
      );
    const { url } = service();
    expect((await shell('project node list red')).err).toContain(
      `${url} no longer accepts the token of profile default: it has expired or was revoked; log in again: corral login ${url} --profile default`,
    );
    expect((await refused('project node list red', { CORRAL_TOKEN: 'corral_of-elsewhere' })).hint).toBe(
      `${url} does not accept the token in CORRAL_TOKEN: it has expired, was revoked, or is for another service`,
    );
  });

  it('with a wrong password: nothing more', async () => {
    const wrong = { CORRAL_USERNAME: 'ada', CORRAL_PASSWORD: 'wrong' };
    expect((await refused('project node list red', wrong)).hint).toBe('');
  });
});

it('no sentence of the service is shown with words of HTTP', async () => {
  const core = fileURLToPath(new URL('../../service/src/core', import.meta.url));
  const files = (await readdir(core)).filter((name) => name.endsWith('.ts'));
  const texts = await Promise.all(files.map((name) => readFile(join(core, name), 'utf8')));
  const said = texts
    .flatMap((text) => text.split('\n'))
    .filter((line) =>
      /['`].*(\b(GET|PUT|POST|PATCH|DELETE) \/|WWW-Authenticate|force=true|this call needs).*['`]/.test(line),
    );
  expect(said.length).toBeGreaterThan(4);
  expect(said.filter((line) => ofHttp.test(plainWords(line)))).toEqual([]);
});
