import { describe, expect, it } from 'vitest';
import { startReceiver } from '../../service/test/support/http/webhook-receiver.ts';
import { engines } from '../../service/test/support/services/engines.ts';
import { runSql } from '../../service/test/support/services/run-sql.ts';
import { adminPassword, serviceForTest } from '../../service/test/support/services/service.ts';
import { eventually, makeProject } from '../../service/test/support/services/world.ts';
import { shellForTest } from './support/shell.ts';

describe.each(engines)('corral subscription, on %s', (engine) => {
  it('makes webhooks, shows how they fare, and sends dead letters again', async () => {
    const service = await serviceForTest(engine);
    const shell = await shellForTest({
      CORRAL_ENDPOINT: service.url,
      CORRAL_USERNAME: 'admin',
      CORRAL_PASSWORD: adminPassword,
    });
    const corral = async (line: string): Promise<string> => {
      const ran = await shell(line);
      expect({ line, ...ran }).toMatchObject({ code: 0 });
      return ran.out;
    };
    const receiver = await startReceiver();
    expect(await corral('subscription list')).toContain('no subscriptions');
    expect(await corral(`subscription create ci ${receiver.url} --types project_create,project_delete`)).toMatch(
      /^whsec_\S+\n/,
    );
    expect(await corral('subscription list')).toMatch(/ci +whole site +active +0 +nothing yet/);
    expect(await corral('subscription test ci')).toContain('delivered: the receiver answered 204');
    receiver.react = () => 500;
    expect(await shell('subscription test ci')).toMatchObject({
      code: 1,
      err: expect.stringContaining('not delivered: the receiver answered 500') as string,
    });
    await makeProject(service, 'red');
    await eventually(async () => ((await corral('subscription list')).includes('failing') ? true : undefined));
    expect(await corral('subscription show ci')).toMatch(/next attempt .* failed/);
    const old = 'update events set at = 1000';
    await runSql(service, { sqlite: old, postgres: old });
    const now = 'update subscriptions set retry_at = 0';
    await runSql(service, { sqlite: now, postgres: now });
    const dead = await eventually(
      async () => /^(\d+) +\d+ +project_create +answered 500/m.exec(await corral('subscription dead-letters ci'))?.[1],
    );
    expect(await shell(`subscription resend ci ${dead}`)).toMatchObject({ code: 1 });
    receiver.react = () => 200;
    expect(await corral(`subscription resend ci ${dead}`)).toContain('delivered');
    expect(await corral('subscription dead-letters ci')).toContain('no dead letters');
    expect(await shell('subscription resend ci first')).toMatchObject({ code: 2 });

    await corral('subscription pause ci');
    expect(await corral('subscription show ci')).toMatch(/state +paused: admin paused it/);
    await corral('subscription resume ci --from-now');
    await corral('subscription update ci --all');
    expect(await corral('subscription show ci')).toMatch(/only +all/);
    expect(await shell('subscription update ci')).toMatchObject({ code: 2 });
    expect(await corral('subscription rotate-secret ci')).toMatch(/^whsec_/);
    expect(JSON.parse(await corral('subscription show ci --json'))).toMatchObject({
      subscription: 'ci',
      url: receiver.url,
      given_up: 1,
    });
    await corral('subscription delete ci');
    expect(await corral('subscription list')).toContain('no subscriptions');
  });
});
