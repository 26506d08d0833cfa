import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { programFile } from '../../test/support/built-program.ts';
import { keys, terminalForTest } from './support/terminal.ts';

const escape = '\u001b';
/** Sets the title of the window, rings the bell, clears the screen, and turns the direction of writing. */
const evil = `${escape}]0;x\u0007${escape}[2J\u202e`;
const harmless = String.raw`\u001b]0;x\u0007\u001b[2J\u202e`;

const answers: Readonly<Record<string, unknown>> = {
  'GET /v0/auth/whoami': { name: evil, by: 'token', admin: false, projects: [], read_only: false, expires_at: evil },
  'GET /v0/auth/methods': {
    basic: false,
    oidc: { issuer: `http://id.example.org/${evil}`, audience: evil, device: { client_id: evil, scopes: evil } },
  },
  'PUT /v0/auth/token/ci': { token: 'corral_x', expires_at: evil },
  'GET /v0/events?limit=20': { events: [{ id: 1, at: evil, type: evil, caller: evil, node: evil }] },
};

/** A terminal at a service that says such things wherever it can. */
const scene = async () => {
  const server = createServer(({ method = '', url = '' }, response) => {
    const answer = answers[`${method} ${url}`];
    const refusal = { type: 'DuplicateError', msg: `${evil}\nsecond line ${evil}` };
    response.writeHead(answer === undefined ? 409 : 200).end(JSON.stringify(answer ?? refusal));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, terminal: await terminalForTest({ CORRAL_ENDPOINT: url, CORRAL_TOKEN: 'corral_x' }) };
};

describe('what a service says does nothing to the terminal', () => {
  it.each([
    ['project create red', `${escape}[31mcorral:${escape}[0m ${harmless}`],
    ['project create red', `\nsecond line ${harmless}`],
    ['events', `${escape}[2m${harmless}${escape}[0m`],
    ['events --json', `"type":"${harmless}"`],
    ['token create ci --password-file token', `valid until ${harmless}`],
    ['login --token-file token', `${escape}[32m✓${escape}[0m logged in as ${harmless} at`],
    ['login --device', `the identity provider http://id.example.org/${harmless} is or refers to an address`],
  ])('%s', async (line, words) => {
    const { terminal } = await scene();
    const script = `cd "$HOME" && echo corral_x >token && exec "$0" "$1" ${line}`;
    // So wide that no sentence is wrapped.
    const session = terminal.run('/bin/sh', ['-c', script, process.execPath, programFile('corral')], { columns: 200 });
    await session.exit();
    for (const sign of [`${escape}]`, '\u0007', `${escape}[2J`, '\u202e']) {
      expect(session.written()).not.toContain(sign);
    }
    expect(session.written().replaceAll('\r\n', '\n')).toContain(words);
  });

  it.each([
    ['user password', `your current password, ${harmless}:`],
    ['token create ci', `password of ${harmless} at http:`],
  ])('nor does it in the question of %s', async (line, question) => {
    const { terminal } = await scene();
    const asked = terminal.corral(line);
    await asked.shows(question);
    asked.type(keys.interrupt);
    expect(await asked.exit()).toBe(130);
    expect(asked.written()).not.toContain(`${escape}]`);
  });
});
