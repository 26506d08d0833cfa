import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { type Client, clientOf } from '../support/http/http-client.ts';
import { makeScreenFixture } from '../support/headnodes/screen-fixture.ts';
import { makeEnabledRack, type Rack } from '../support/services/obm-rack.ts';
import { Screen } from '../support/headnodes/screen-client.ts';
import { Talker } from '../support/obm/console-talker.ts';
import { Watcher } from '../support/obm/console-watcher.ts';
import { done, makeUser } from '../support/services/world.ts';

const soon = <T>(read: () => T) => expect.poll(read, { timeout: 20_000, interval: 10 });
const lost = 'you no longer have access to this';

const tokenOf = async (rack: Pick<Rack, 'service'>, client: Client): Promise<Client> => {
  const { body } = await done(client.put('/auth/token/console', {}));
  return clientOf(rack.service.url, `Bearer ${(body as { token: string }).token}`);
};

/** How somebody comes to lose what they have. */
const losses: readonly (readonly [string, (rack: Pick<Rack, 'service' | 'alice'>) => Promise<unknown>])[] = [
  [
    'left the project',
    ({ service }) => service.admin.post('/auth/basic/user/alice/remove_project', { project: 'red' }),
  ],
  ['was deleted', ({ service }) => service.admin.del('/auth/basic/user/alice')],
  [
    'got another password',
    ({ service }) => service.admin.put('/auth/basic/user/alice/password', { password: 'another one' }),
  ],
];

const watching = async (rack: Rack, client: Client): Promise<Watcher> => {
  const before = rack.machine.watched;
  const watcher = new Watcher(rack.service, client);
  await soon(() => rack.machine.watched).toBeGreaterThan(before);
  return watcher;
};

describe.each(engines)('what goes on being sent ends when access does, on %s', (engine) => {
  it.each(losses)('a console, when its watcher %s', async (_, lose) => {
    const rack = await makeEnabledRack(engine);
    const watcher = await watching(rack, rack.alice);
    await lose(rack);
    await soon(() => watcher.end).toBe('clean');
    expect(watcher.text).toContain(`[console: ${lost}]`);
  });

  it('a console, when its token is revoked; one that has nothing to do with it goes on', async () => {
    const rack = await makeEnabledRack(engine);
    const watcher = await watching(rack, await tokenOf(rack, rack.alice));
    await makeUser(rack.service, 'bob');
    await done(rack.service.admin.del('/auth/basic/user/bob'));
    rack.machine.print('still here');
    await soon(() => watcher.text).toContain('still here');
    await done(rack.alice.del('/auth/token/console'));
    await soon(() => watcher.end).toBe('clean');
    expect(watcher.text).toContain(lost);
  });

  it('a console that is typed to', async () => {
    const rack = await makeEnabledRack(engine);
    const talker = new Talker(rack.service, rack.alice);
    await soon(() => talker.isOpen).toBe(true);
    await done(rack.service.admin.post('/auth/basic/user/alice/remove_project', { project: 'red' }));
    await soon(() => talker.end).toEqual({ code: 4000, reason: lost });
  });

  it('the screen of a headnode', async () => {
    const { service, alice } = await makeScreenFixture(engine);
    const screen = await Screen.open(service, alice, 'h');
    if (!(screen instanceof Screen)) throw new Error('it was refused');
    await done(service.admin.post('/auth/basic/user/alice/remove_project', { project: 'red' }));
    expect(await screen.ended).toEqual({ code: 4000, why: lost });
  });
});
