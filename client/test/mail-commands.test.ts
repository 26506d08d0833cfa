import { describe, expect, it } from 'vitest';
import { startRelay } from '../../service/test/support/mail/mail-relay.ts';
import { engines } from '../../service/test/support/services/engines.ts';
import { adminPassword, passwordOf, serviceForTest } from '../../service/test/support/services/service.ts';
import { eventually, makeProject, makeUser } from '../../service/test/support/services/world.ts';
import { shellForTest } from './support/shell.ts';

describe.each(engines)('corral mail, on %s', (engine) => {
  it('sets addresses, subscribes people and turns their mail off', async () => {
    const relay = await startRelay();
    const service = await serviceForTest(engine, relay.env);
    await makeProject(service, 'red');
    await makeUser(service, 'ada', 'red');
    const shellOf = (name: string, password: string) =>
      shellForTest({ CORRAL_ENDPOINT: service.url, CORRAL_USERNAME: name, CORRAL_PASSWORD: password });
    const admin = await shellOf('admin', adminPassword);
    const ada = await shellOf('ada', passwordOf('ada'));
    const works = async (ran: ReturnType<typeof admin>): Promise<string> => {
      const { code, out, err } = await ran;
      expect({ code, err }).toMatchObject({ code: 0 });
      return out;
    };
    expect(await works(ada('mail show'))).toMatch(/user +ada\naddress +none\nmail +on/);
    expect(await ada('subscription mail mine --project red')).toMatchObject({
      code: 1,
      err: expect.stringContaining('user ada has no mail address; an administrator can set one') as string,
    });
    expect(await works(admin('mail set ada Ada@example.org'))).toContain('mail to ada goes to Ada@example.org');
    expect(await works(ada('subscription mail mine --project red'))).toContain('subscription mine mails events to ada');
    expect(await works(ada('subscription test mine'))).toContain('delivered: the receiver answered 250');
    expect(relay.taken[0]?.to).toEqual(['ada@example.org']);
    expect(await works(ada('subscription show mine'))).toMatch(/mail to +ada\nurl +mailto:ada@example.org/);
    expect(await ada('subscription mail more --address a@example.org --project red')).toMatchObject({ code: 1 });
    expect(await admin('subscription mail more --address a@example.org --to ada')).toMatchObject({ code: 2 });
    await works(admin('subscription mail ops --address ops@example.org --types project_create'));
    await makeProject(service, 'blue');
    await eventually(() => relay.taken.find(({ to }) => to[0] === 'ops@example.org'));
    expect(await works(ada('mail off'))).toContain('mail to ada is off');
    expect(await works(admin('subscription show mine'))).toMatch(/state +paused: user ada turned mail off/);
    expect(JSON.parse(await works(admin('mail show ada --json')))).toEqual({
      address: 'ada@example.org',
      enabled: false,
    });
    expect(await works(ada('mail on'))).toContain('mail to ada is on');
    await works(ada('subscription resume mine'));
    expect(await works(admin('mail off ada'))).toContain('mail to ada is off');
    expect(await works(admin('mail remove ada'))).toContain('user ada has no mail address');
  });
});
