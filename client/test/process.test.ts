import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { adminPassword, serviceForTest } from '../../service/test/support/services/service.ts';
import { makeNode, makeProject } from '../../service/test/support/services/world.ts';
import { programFile } from '../../test/support/built-program.ts';

/** Runs a line of a shell in which `corral` is the real command; without a terminal. */
const bash = async (script: string, env: Readonly<Record<string, string>>, input = '') => {
  const line = `set -o pipefail; corral() { "${process.execPath}" "${programFile('corral')}" "$@"; }; ${script}`;
  const child = spawn('/bin/bash', ['-c', line], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', CORRAL_CLIENT_CONFIG: '/nonexistent/client.json', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, out, err };
};

const asAdmin = (url: string) => ({
  CORRAL_ENDPOINT: url,
  CORRAL_USERNAME: 'admin',
  CORRAL_PASSWORD: adminPassword,
});

/** A server that answers everything with the same. */
const answering = async (body: string, type = 'application/json'): Promise<string> => {
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': type }).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

describe('the command as a process', () => {
  it.each([
    ['a page of something else', '<html>hello</html>', 'text/html', 'is not JSON; is the endpoint a Corral service?'],
    ['half an answer', '["n1", "n', 'application/json', 'is not JSON; is the endpoint a Corral service?'],
    ['nothing', '', 'application/json', 'is empty; is the endpoint a Corral service?'],
    ['null', 'null', 'application/json', 'is not a list'],
    ['an object for a list', '{"nodes":[]}', 'application/json', 'is not a list'],
  ])('tells in a sentence that %s came back', async (_what, body, type, sentence) => {
    const url = await answering(body, type);
    const { code, out, err } = await bash('corral headnode list-images', asAdmin(url));
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(/^corral: the response to GET \S+ is [^\n]*\n$/);
    expect(err).toContain(sentence);
  });

  it('tells in a sentence that what is in an answer is not what it should be', async () => {
    const url = await answering('{"name":7}');
    const { code, out, err } = await bash('corral node show n1', asAdmin(url));
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(/^corral: the service sent a response that this version of corral does not understand/);
    expect(err).not.toContain('    at ');
  });

  it('ends with 0 if it was done, 1 if refused, 2 after a mistake, 3 if nobody is there, 4 if it takes too long', async () => {
    const service = await serviceForTest('sqlite');
    const env = asAdmin(service.url);
    expect(await bash('corral project create red', env)).toEqual({
      code: 0,
      out: '✓ project red is created\n',
      err: '',
    });
    const refused = await bash('corral project create red', env);
    expect(refused).toEqual({ code: 1, out: '', err: 'corral: project red already exists\n' });
    expect((await bash('corral projects', env)).code).toBe(2);
    expect((await bash('corral project list', { CORRAL_ENDPOINT: 'http://127.0.0.1:1' })).code).toBe(3);
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const late = await bash('corral project delete red --timeout 0.2', { CORRAL_ENDPOINT: url });
    expect(late).toEqual({ code: 4, out: '', err: `corral: ${url} did not answer within 0.2 s\n` });
  });

  it('takes no longer than it may, also when an answer begins and does not go on', async () => {
    const stalled = createServer((_request, response) => void response.writeHead(200).write('['));
    await new Promise<void>((resolve) => stalled.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      stalled.closeAllConnections();
      stalled.close();
    });
    const url = `http://127.0.0.1:${(stalled.address() as AddressInfo).port}`;
    const late = { code: 4, out: '', err: `corral: ${url} did not answer within 0.2 s\n` };
    expect(await bash('corral node list --timeout 0.2', { CORRAL_ENDPOINT: url })).toEqual(late);
    expect(await bash(`corral login ${url} --timeout 0.2`, {})).toEqual(late);
  });

  it('is content when nobody reads to the end', async () => {
    const service = await serviceForTest('sqlite');
    for (const project of ['blue', 'green', 'red']) await makeProject(service, project);
    const env = asAdmin(service.url);
    expect(await bash('corral project list | head -1', env)).toEqual({
      code: 0,
      out: 'project  nodes  networks  headnodes  members\n',
      err: '',
    });
    expect(await bash('corral project list | true', env)).toEqual({ code: 0, out: '', err: '' });
    // Whoever follows learns that nobody reads any more from the next event.
    const state = { isOver: false };
    const following = bash('corral events --follow --json | head -1 | wc -l', env).finally(() => (state.isOver = true));
    for (let count = 0; !state.isOver; count += 1) {
      await makeProject(service, `p${count}`);
      await sleep(50);
    }
    expect(await following).toMatchObject({ code: 0, err: '' });
  });

  it('reads secrets from standard input, and is not fooled by what is not for it', async () => {
    const service = await serviceForTest('sqlite');
    const env = asAdmin(service.url);
    const made = await bash('corral user create ada --password-file -', env, 'a secret of ada\n');
    expect(made).toMatchObject({ code: 0, err: '' });
    expect((await service.as('ada', 'a secret of ada').get('/auth/whoami')).status).toBe(200);
    const asked = await bash('corral user create eve', env, 'a secret of eve\n');
    expect(asked).toMatchObject({ code: 2, err: expect.stringContaining('there is no terminal to prompt') as string });
  });

  it('says everything before it ends, however much it is', async () => {
    const service = await serviceForTest('sqlite');
    await makeNode(service, 'n1');
    const value = 'x'.repeat(300_000);
    await service.admin.put('/node/n1/metadata/note', { value });
    const shown = await bash('corral node show n1 --json | cat', asAdmin(service.url));
    expect(JSON.parse(shown.out)).toMatchObject({ metadata: { note: value } });
  });
});
