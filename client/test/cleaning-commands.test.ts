import { describe, expect, it } from 'vitest';
import { engines } from '../../service/test/support/services/engines.ts';
import { adminPassword } from '../../service/test/support/services/service.ts';
import {
  cleaningThat,
  ended,
  isStuckAt,
  leave,
  makeGatedSite,
} from '../../service/test/support/services/gated-node.ts';
import { shellForTest } from './support/shell.ts';

describe.each(engines)('corral cleaning, on %s', (engine) => {
  it('lists what is not over, shows its steps, skips one, and brings a node back', async () => {
    const { service, machine, alice } = await makeGatedSite(engine);
    const shell = await shellForTest({
      CORRAL_ENDPOINT: service.url,
      CORRAL_USERNAME: 'admin',
      CORRAL_PASSWORD: adminPassword,
    });
    expect((await shell('cleaning list')).out).toBe('no cleanings\n');
    machine.fault = { on: ['power_off'], kind: 'status', status: 500 };
    await leave(alice);
    const { cleaning } = await cleaningThat(service, isStuckAt('power'));
    const listed = (await shell('cleaning list')).out;
    expect(listed).toMatch(/^node +state +step +began +cleaning$/m);
    expect(listed).toMatch(new RegExp(`^n1 +running +power .* ${cleaning}$`, 'm'));
    for (const line of listed.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(JSON.parse((await shell('cleaning list --state running --json')).out)).toMatchObject({
      cleanings: [{ cleaning, node: 'n1', project: 'red', state: 'running', step: 'power' }],
    });
    expect((await shell('cleaning list --state wrong')).err).toContain('--state takes one of running');
    expect((await shell("node quarantine n1 'smells of smoke'")).out).toContain(`corral cleaning retry ${cleaning}`);
    expect((await shell(`cleaning show ${cleaning}`)).out).toMatch(
      /state +failed\n[^]*reason +smells of smoke\nstep power +failed: quarantined by admin\nstep ports +pending/,
    );
    expect((await shell(`cleaning skip ${cleaning} power 'pulled the plug'`)).out).toContain('step power of cleaning');
    expect((await shell(`cleaning retry ${cleaning}`)).out).toContain('has begun again');
    await cleaningThat(service, ended('passed'));
    expect((await shell('cleaning list')).out).toBe('no cleanings\n');
    expect((await shell('cleaning list --node n1')).out).toContain('passed');
    expect((await shell(`cleaning show ${cleaning} --evidence`)).out).toContain('on switch sw0 is empty');
    expect(JSON.parse((await shell(`cleaning show ${cleaning} --json`)).out)).toMatchObject({
      state: 'passed',
      steps: [{ name: 'power', state: 'skipped' }, { name: 'ports' }, { name: 'bootdev' }, { name: 'bmc' }],
    });
  });
});
