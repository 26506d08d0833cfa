import { describe, expect, it } from 'vitest';
import { ConfigError } from '../src/config/config.ts';
import { engines } from './support/engines.ts';
import { basic, clientOf } from './support/http.ts';
import { refusal, sharedService } from './support/shared.ts';
import { done, obmd } from './support/world.ts';

describe.each(engines)('the null backend on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_AUTH: 'null' });

  it('lets everybody in as administrator, whatever they say', async () => {
    const { anonymous, url } = service();
    await done(anonymous.put('/project/red'));
    await done(anonymous.put('/node/n1', { obmd }));
    await done(anonymous.post('/project/red/connect_node', { node: 'n1' }));
    for (const authorization of [basic('nobody', 'wrong'), 'nonsense']) {
      expect((await clientOf(url, authorization).get('/projects')).body).toEqual(['red']);
    }
  });

  it('serves every call but those about users, which it has not', async () => {
    const { anonymous } = service();
    const calls = [
      anonymous.get('/auth/basic/users'),
      anonymous.put('/auth/basic/user/alice', { password: 'p' }),
      anonymous.patch('/auth/basic/user/alice', { is_admin: true }),
      anonymous.post('/auth/basic/user/alice/add_project', { project: 'red' }),
      anonymous.post('/auth/basic/user/alice/remove_project', { project: 'red' }),
      anonymous.del('/auth/basic/user/alice'),
    ];
    for (const call of calls) expect(await refusal(call)).toBe('404 NotFoundError');
    const { paths } = (await (await fetch(`${service().url}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(paths).filter((path) => path.includes('/auth/'))).toEqual([]);
  });

  it('is named among the extensions', async () => {
    const { body } = await service().anonymous.get('/active_extensions');
    expect(body).toContain('corral.ext.auth.null');
    expect(body).not.toContain('corral.ext.auth.database');
  });
});

describe.each(engines)('the database backend on %s', (engine) => {
  const service = sharedService(engine);

  it('is what there is unless the operator asks for another', async () => {
    expect((await service().admin.get('/active_extensions')).body).toContain('corral.ext.auth.database');
    expect(await refusal(service().anonymous.get('/projects'))).toBe('401 AuthorizationError');
  });

  it.each(['none', 'NULL', '__proto__', 'constructor'])('is not replaced by what is not there: %s', async (name) => {
    const refused = await service()
      .restart({ CORRAL_AUTH: name })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect((refused as ConfigError).mistakes).toEqual([expect.stringMatching(/^auth: .*database/)]);
  });
});
