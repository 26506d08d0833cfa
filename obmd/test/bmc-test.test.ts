import { describe, expect, it } from 'vitest';
import { daemonForTest, done, message, refusal } from './support/daemon.ts';
import { engines } from './support/obmd-engines.ts';
import { ScriptedBmc, scriptedDriver } from './support/scripted-bmc.ts';

const bmcWith = async (engine: (typeof engines)[number]) => {
  const bmc = new ScriptedBmc();
  const daemon = await daemonForTest(engine, { drivers: { scripted: scriptedDriver(bmc) } });
  const register = () => done(daemon.admin('PUT', '/node/n1', { type: 'scripted', info: { pass: 'hush-hush' } }));
  await register();
  return { bmc, daemon, register };
};

describe.each(engines)('a test of a BMC, on %s', (engine) => {
  it('says what answered, needs no token, and leaves the one there is alone', async () => {
    const { bmc, daemon } = await bmcWith(engine);
    const { token } = (await done(daemon.admin('POST', '/node/n1/token'))).body as { token: string };
    expect((await done(daemon.admin('POST', '/node/n1/test'))).body).toEqual({
      answered: 'a scripted BMC',
      privileges: 'all',
      seconds: expect.any(Number) as number,
    });
    await done(daemon.send('POST', `/node/n1/power_on?token=${token}`));
    expect(bmc.done).toEqual(['identify', 'power_on']);
    expect(await refusal(daemon.send('POST', '/node/n1/test'))).toBe('401 AuthorizationError');
    expect(await refusal(daemon.admin('POST', '/node/n2/test'))).toBe('404 NotFoundError');
  });

  it('waits for its turn at the BMC', async () => {
    const { bmc, daemon } = await bmcWith(engine);
    const { token } = (await done(daemon.admin('POST', '/node/n1/token'))).body as { token: string };
    const release = bmc.hold();
    const power = daemon.send('POST', `/node/n1/power_on?token=${token}`);
    await expect.poll(() => bmc.running).toEqual(['power_on']);
    const test = daemon.admin('POST', '/node/n1/test');
    release();
    await done(power);
    await done(test);
    expect(bmc.done).toEqual(['power_on', 'identify']);
  });

  it('ends when the node is registered again, and blames no token', async () => {
    const { bmc, daemon, register } = await bmcWith(engine);
    bmc.before = (_call, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    const test = daemon.admin('POST', '/node/n1/test');
    await expect.poll(() => bmc.running).toEqual(['identify']);
    await register();
    expect(await message(test)).toContain('registered again or deleted; test it again');
    expect((await test).status).toBe(503);
  });

  it('repeats no password that the device repeats', async () => {
    const { bmc, daemon } = await bmcWith(engine);
    bmc.identity = { answered: 'hush-hush\u0007 is\nthe password', privileges: 'x'.repeat(1000) };
    const { body } = await done(daemon.admin('POST', '/node/n1/test'));
    expect(body).toMatchObject({ answered: '[secret] is the password', privileges: 'x'.repeat(200) });
    expect([...daemon.answers, ...daemon.log].join('')).not.toContain('hush-hush');
  });
});
