import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '@corral/base/config/config-error';
import { engines } from '../support/services/engines.ts';
import { basic, clientOf } from '../support/http/http-client.ts';
import { runToEnd, startProgram } from '../support/services/service-program.ts';
import { refusal, sharedService } from '../support/services/shared-service.ts';
import { done, obmd } from '../support/services/world.ts';

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

  it('serves every call but those about users, sessions and tokens, which it has not', async () => {
    const { anonymous } = service();
    const calls = [
      anonymous.get('/auth/basic/users'),
      anonymous.put('/auth/basic/user/alice', { password: 'p' }),
      anonymous.patch('/auth/basic/user/alice', { is_admin: true }),
      anonymous.post('/auth/basic/user/alice/add_project', { project: 'red' }),
      anonymous.post('/auth/basic/user/alice/remove_project', { project: 'red' }),
      anonymous.del('/auth/basic/user/alice'),
      anonymous.post('/auth/session', { username: 'alice', password: 'p' }),
      anonymous.get('/auth/methods'),
      anonymous.get('/auth/whoami'),
      anonymous.put('/auth/token/t', {}),
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

describe('a program with the null backend', () => {
  const settings = async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'corral-test-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    return { CORRAL_AUTH: 'null', CORRAL_PORT: '0', CORRAL_DATA_DIR: dataDir };
  };

  it('warns of what that means', async () => {
    const program = await startProgram(await settings());
    onTestFinished(async () => {
      await program.kill('SIGKILL');
    });
    const warning = program.output.find((line) =>
      line.includes('every client on this machine has administrative access'),
    );
    expect(JSON.parse(warning ?? '{}')).toMatchObject({ level: 40 });
    expect((await clientOf(program.url).get('/projects')).body).toEqual([]);
  });

  it('does not start where others could reach it', async () => {
    const { code, output } = await runToEnd({ ...(await settings()), CORRAL_HOST: '0.0.0.0' });
    expect([code, output]).toEqual([2, expect.stringMatching(/^corral: auth: .*loopback address, not 0\.0\.0\.0$/)]);
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
