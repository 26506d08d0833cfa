import { describe, expect, it } from 'vitest';
import { bareClient } from '../support/identity/browser.ts';
import { engines } from '../support/services/engines.ts';
import { basic } from '../support/http/http-client.ts';
import { adminPassword, type Service } from '../support/services/service.ts';
import { refusal, sharedService } from '../support/services/shared-service.ts';

const elsewhere = 'https://evil.example';

/** A browser into whose own box the administrator's password was once typed: it sends it along for any page. */
const browser = (service: Service, headers: Readonly<Record<string, string>>) =>
  bareClient(service.url, { authorization: basic('admin', adminPassword), 'content-type': 'text/plain', ...headers });

describe.each(engines)('pages of another origin, on %s,', (engine) => {
  const service = sharedService(engine, { CORRAL_CORS_ORIGINS: 'https://desk.example' });

  it.each([
    ['a form of another site', { origin: elsewhere, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    ['a script of another site', { origin: elsewhere, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['a neighbour of the same site', { origin: 'http://sub.127.0.0.1', 'sec-fetch-site': 'same-site' }],
    ['a browser that tells only the origin', { origin: elsewhere }],
    ['a browser that hides it', { origin: 'null' }],
    ['a browser that tells only the site', { 'sec-fetch-site': 'cross-site' }],
  ])('%s change nothing with a password that the browser remembers', async (_, headers) => {
    const foreign = browser(service(), headers);
    expect(await refusal(foreign.put('/project/evil'))).toBe('401 AuthorizationError');
    expect(await refusal(foreign.post('/project/evil/connect_node', { node: 'n' }))).toBe('401 AuthorizationError');
    expect(await refusal(foreign.get('/node/none/console'))).toBe('401 AuthorizationError');
    expect((await service().admin.get('/projects')).body).not.toContain('evil');
  });

  it('our own pages, programs, and origins that the operator named may', async () => {
    const { url } = service();
    const ways = [
      {},
      { origin: url },
      { origin: url, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://desk.example', 'sec-fetch-site': 'cross-site' },
    ];
    for (const [index, headers] of ways.entries()) {
      const answer = await browser(service(), headers).put(`/project/made-${index}`);
      expect([index, answer.status]).toEqual([index, 200]);
    }
  });
});

describe.each(engines)('without passwords, on %s,', (engine) => {
  const service = sharedService(engine, { CORRAL_AUTH: 'null' });

  it('a page whose name points at this machine is not this machine', async () => {
    const { url } = service();
    const port = new URL(url).port;
    const asked = (host: string) => bareClient(url, { host: `${host}:${port}` }).get('/projects');
    expect(await refusal(asked('rebound.example'))).toBe('401 AuthorizationError');
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) expect((await asked(host)).status).toBe(200);
    const foreign = bareClient(url, { origin: elsewhere, 'sec-fetch-site': 'cross-site' });
    expect(await refusal(foreign.put('/project/evil'))).toBe('401 AuthorizationError');
  });
});
