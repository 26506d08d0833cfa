import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { raw } from '../support/http/raw-request.ts';
import { serviceForTest } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';

const friend = 'https://tools.example.org';
const preflight = (origin: string) => ({
  origin,
  'access-control-request-method': 'PUT',
  'access-control-request-headers': 'authorization',
});
const namesOf = (headers: Headers): string[] => [...headers.keys()].filter((name) => name.startsWith('access-control'));

describe.each(engines)('calls from pages of other origins on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_CORS_ORIGINS: `${friend}, http://127.0.0.1:8000` });

  it('are not for anybody by default', async () => {
    const { url } = await serviceForTest(engine);
    const asked = await raw(url, { method: 'OPTIONS', path: '/project/a', headers: preflight(friend) });
    expect(asked.status).toBe(405);
    const called = await raw(url, { method: 'GET', path: '/nodes/free', headers: { origin: friend } });
    for (const { headers } of [asked, called]) {
      expect(namesOf(headers)).toEqual([]);
      expect(headers.get('vary')).toBeNull();
    }
  });

  it('are for those that are named', async () => {
    const asked = await raw(service().url, { method: 'OPTIONS', path: '/project/a', headers: preflight(friend) });
    expect(asked).toMatchObject({ status: 204, text: '' });
    expect(asked.headers.get('access-control-allow-origin')).toBe(friend);
    expect(asked.headers.get('access-control-allow-methods')).toBe('DELETE, GET, PATCH, POST, PUT');
    expect(asked.headers.get('access-control-allow-headers')).toBe(
      'authorization, content-type, x-auth-token, last-event-id',
    );
    expect(asked.headers.get('vary')).toBe('Origin');
    for (const headers of [{ origin: friend }, { ...service().admin.headers, origin: friend }]) {
      // A refusal is for the page too: it has to tell its user.
      const called = await raw(service().url, { method: 'PUT', path: '/project/a', headers });
      expect(called.headers.get('access-control-allow-origin')).toBe(friend);
      expect(called.headers.get('access-control-expose-headers')).toBe('x-request-id, retry-after');
      expect(called.headers.get('vary')).toBe('Origin');
    }
  });

  it.each([
    'https://evil.example',
    `${friend}.evil.example`,
    `${friend}:8443`,
    'http://tools.example.org',
    'https://TOOLS.example.org',
    'null',
    '*',
    '',
  ])('are not for %j', async (origin) => {
    const asked = await raw(service().url, { method: 'OPTIONS', path: '/project/a', headers: preflight(origin) });
    expect(asked.status).toBe(405);
    const called = await raw(service().url, { method: 'GET', path: '/nodes/free', headers: { origin } });
    for (const { headers } of [asked, called]) {
      expect(namesOf(headers)).toEqual([]);
      expect(headers.get('vary')).toBe('Origin');
    }
  });

  it('never come with cookies', async () => {
    for (const method of ['OPTIONS', 'GET']) {
      const answer = await raw(service().url, { method, path: '/nodes/free', headers: preflight(friend) });
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  it('are asked for only where there are calls', async () => {
    const nowhere = await raw(service().url, { method: 'OPTIONS', path: '/none', headers: preflight(friend) });
    expect(nowhere.status).toBe(404);
    const plain = await raw(service().url, { method: 'OPTIONS', path: '/projects', headers: { origin: friend } });
    expect(plain.status).toBe(405);
    expect(plain.headers.get('allow')).toBe('GET');
  });
});
