import { describe, expect, it } from 'vitest';
import { daemonForTest, done } from './support/daemon.ts';
import { makeNode } from './support/token-holder.ts';
import { watch } from './support/console-watchers.ts';

describe('an operator', () => {
  it('sees that the daemon is up and ready', async () => {
    const daemon = await daemonForTest('sqlite');
    expect((await done(daemon.send('GET', '/healthz'))).body).toEqual({ status: 'ok' });
    expect((await done(daemon.send('GET', '/readyz'))).body).toEqual({ status: 'ready' });
  });

  it('sees in the metrics what the daemon does, and no secret or name of a tenant', async () => {
    const daemon = await daemonForTest('sqlite', { env: { CORRAL_OBMD_CONSOLE_LINGER: '60' } });
    const value = async (name: string): Promise<number> => {
      const { text } = await done(daemon.send('GET', '/metrics'));
      const line = text.split('\n').find((one) => one.startsWith(`${name} `));
      return Number(line?.slice(name.length + 1) ?? 0);
    };
    const { tenant } = await makeNode(daemon, 'n1', 'fail=power_off');
    expect(await value('obmd_active')).toBe(1);
    expect(await value('obmd_nodes{type="mock"}')).toBe(1);
    expect(await value('obmd_failing_nodes{type="mock"}')).toBe(0);
    await done(tenant.order('power_on'));
    await done(tenant.order('power_on'));
    await tenant.order('power_off');
    const calls = (call: string, outcome: string) =>
      value(`obmd_bmc_call_seconds_count{type="mock",call="${call}",outcome="${outcome}"}`);
    expect(await calls('power_on', 'done')).toBe(2);
    expect(await calls('power_off', 'failed')).toBe(1);
    expect(await value('obmd_failing_nodes{type="mock"}')).toBe(1);
    const watcher = await watch(tenant);
    expect(await value('obmd_consoles{state="watched"}')).toBe(1);
    watcher.leave();
    await expect.poll(() => value('obmd_consoles{state="kept"}')).toBe(1);
    expect(await value('obmd_consoles{state="watched"}')).toBe(0);
    const served = 'obmd_http_request_seconds_count{method="POST",route="/node/:id/power_on",status="200"}';
    expect(await value(served)).toBe(2);
    const { text } = await daemon.send('GET', '/metrics');
    expect(text).not.toContain(tenant.token);
    await done(daemon.admin('DELETE', '/node/n1'));
    expect(await value('obmd_nodes{type="mock"}')).toBe(0);
  });
});
