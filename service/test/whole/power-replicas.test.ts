import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { hasPart, type LabIpmiSim, startIpmiSim } from '@corral/lab';
import { newKey } from '@corral/base/secrets/vault-key';
import { formatKeyRing, ringWith } from '@corral/base/secrets/key-ring';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basic, type Client, clientOf } from '../support/http/http-client.ts';
import { bytesOf, RawConnection } from '../support/http/raw-connection.ts';
import { Talker } from '../support/obm/console-talker.ts';
import { type PowerMachine, type PowerMachines, startPowerMachines } from '../support/obm/power-machines.ts';
import { engines } from '../support/services/engines.ts';
import { rotated } from '../support/services/key-rotation.ts';
import { adminPassword } from '../support/services/service.ts';
import { runToEnd, startProgram } from '../support/services/service-program.ts';
import { done, eventually } from '../support/services/world.ts';

/** How long is waited for another process to take over; the promise is ten seconds, on a machine with nothing else to do. */
const takeoverMs = 40_000;
const soon = { timeout: 20_000, interval: 20 };

/*
 * The tests are chapters of one story: two machines that share a PostgreSQL, each with a data directory, a copy of the
 * key file and an address of its own, and a real BMC.
 */
describe.runIf(engines.includes('postgres') && hasPart('ipmi_sim'))(
  'power with replicas on two machines',
  { timeout: 120_000 },
  () => {
    let machines: PowerMachines;
    let sim: LabIpmiSim;
    let spare: LabIpmiSim;

    beforeAll(async () => {
      sim = await startIpmiSim({ pass: 'hush' });
      spare = await startIpmiSim({ pass: 'hush' });
      // A call is not to end before another process has taken over.
      machines = await startPowerMachines({ CORRAL_OBM_TIMEOUT: '60', CORRAL_OBMD_CALL_TIMEOUT: '30' });
    });
    afterAll(async () => {
      await machines.stop();
      await sim.stop();
      await spare.stop();
    });

    const nodes = () => machines.sql('select * from nodes order by id');
    const statusAt = async (machine: PowerMachine): Promise<unknown> =>
      (await done(machine.admin().get('/node/n1/power_status'))).body;
    const hasTakenOver = (machine: PowerMachine): Promise<true> =>
      eventually(async () => ((await machine.hasBmcs()) ? true : undefined), takeoverMs);
    /** Who has the BMCs, and who waits. */
    const roles = async (): Promise<{ holder: PowerMachine; standby: PowerMachine }> => {
      const { first, second } = machines;
      return (await first.hasBmcs()) ? { holder: first, standby: second } : { holder: second, standby: first };
    };
    const bmc = () => ({ type: 'ipmi', info: { addr: sim.addr, port: sim.port, user: sim.user, pass: sim.pass } });

    it('one has the BMCs, and the standby says that it is one', async () => {
      const { holder, standby } = await roles();
      expect(holder).toBe(machines.first);
      const ready = await fetch(`${standby.daemonUrl}/readyz`);
      expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('standby')]);
      const output = standby.program().output.join('\n');
      expect(output).toContain(`It is a standby: process ${holder.program().pid} on ${hostname()} has the BMCs`);
      expect(output).toContain('standby: another process manages these nodes');
      expect(holder.program().output.join('\n')).not.toContain('standby');
      // The service itself serves.
      expect((await fetch(`${standby.program().url}/readyz`)).status).toBe(200);
    });

    it('calls through either reach the BMC', async () => {
      const { first, second } = machines;
      await done(second.admin().put('/node/n1', {}));
      await done(second.admin().put('/node/n1/bmc', bmc()));
      await done(second.admin().post('/node/n1/bmc/test'));
      for (const machine of [first, second])
        expect((await done(machine.admin().get('/node/n1/obmd'))).body).toEqual({
          uri: `${first.daemonUrl}/node/n1`,
          inside: true,
        });
      await done(second.admin().put('/node/n1/obm', { enabled: true }));
      await done(second.admin().post('/node/n1/power_on'));
      expect(await sim.power()).toBe('on');
      for (const machine of [first, second]) expect(await statusAt(machine)).toEqual({ power_status: 'on' });
      await done(first.admin().post('/node/n1/power_off'));
      expect(await statusAt(second)).toEqual({ power_status: 'off' });
    });

    it('consoles through either reach the machine', async () => {
      const { first, second } = machines;
      await done(first.admin().put('/node/n2', {}));
      await done(first.admin().put('/node/n2/bmc', { type: 'mock', info: { addr: 'n2' } }));
      await done(first.admin().put('/node/n2/obm', { enabled: true }));
      await done(first.admin().post('/node/n2/power_on'));
      for (const machine of [second, first]) {
        const talker = new Talker({ url: machine.program().url }, machine.admin(), { node: 'n2' });
        await expect.poll(() => talker.status, soon).toBe(101);
        talker.type(`by way of ${machine.daemonUrl}`);
        await expect.poll(() => talker.text, soon).toContain(`by way of ${machine.daemonUrl}`);
      }
    });

    it('a process without a daemon calls the one that has the BMCs', async () => {
      const program = await startProgram({ ...machines.plain, CORRAL_ROLE: 'api' });
      const admin: Client = clientOf(program.url, basic('admin', adminPassword));
      try {
        expect((await done(admin.get('/bmc_types'))).body).toMatchObject({ inside: true });
        expect((await done(admin.get('/node/n1/power_status'))).body).toEqual({ power_status: 'off' });
        await done(admin.put('/node/n3', {}));
        await done(admin.put('/node/n3/bmc', { type: 'mock', info: { addr: 'n3' } }));
        await done(admin.del('/node/n3'));
      } finally {
        await program.kill('SIGTERM');
      }
    });

    it('killed with -9: the other has the BMCs, and no node was changed', async () => {
      const { holder, standby } = await roles();
      const before = await nodes();
      await holder.kill();
      // Until then it says what goes on.
      const early = await standby.admin().get('/node/n1/power_status');
      if (early.status !== 200)
        expect(early).toMatchObject({ status: 502, text: expect.stringContaining('within 10 seconds') as string });
      await hasTakenOver(standby);
      expect(await statusAt(standby)).toEqual({ power_status: 'off' });
      await done(standby.admin().post('/node/n1/power_on'));
      expect(await sim.power()).toBe('on');
      expect(await nodes()).toEqual(before);
      await holder.start();
      expect(await holder.hasBmcs()).toBe(false);
      expect(await statusAt(holder)).toEqual({ power_status: 'on' });
    });

    it('stopped and continued: what reaches it then is refused, and no order reaches the BMC', async () => {
      const { holder, standby } = await roles();
      const told = async (): Promise<readonly string[]> =>
        (await sim.told()).filter((one) => /^(?:power|shutdown) /.test(one));
      const { pid } = holder.program();
      const before = { nodes: await nodes(), told: await told(), events: await powerEvents(standby) };
      process.kill(pid, 'SIGSTOP');
      try {
        // Its kernel accepts it, and the process finds it when it wakes.
        const late = standby.admin().post('/node/n1/power_off');
        await hasTakenOver(standby);
        expect(await statusAt(standby)).toEqual({ power_status: 'on' });
        process.kill(pid, 'SIGCONT');
        const answer = await late;
        expect([answer.status, answer.text]).toEqual([502, expect.stringContaining('status 503')]);
        expect(answer.text).toMatch(/another process (?:manages|may manage) these nodes/);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      expect([await sim.power(), await told()]).toEqual(['on', before.told]);
      expect(await powerEvents(standby)).toBe(before.events);
      expect(await nodes()).toEqual(before.nodes);
      // It is a standby by now, and calls through it go to the other.
      await eventually(async () => ((await holder.hasBmcs()) ? undefined : true));
      expect(await statusAt(holder)).toEqual({ power_status: 'on' });
      await done(holder.admin().post('/node/n1/power_off'));
      expect(await sim.power()).toBe('off');
    });

    it('woken by a call: it refuses, also before it knows that it has lost the BMCs', async () => {
      const { holder, standby } = await roles();
      const { pid } = holder.program();
      const token = await tokenAt(holder, 'spare', {
        addr: spare.addr,
        port: spare.port,
        user: spare.user,
        pass: spare.pass,
      });
      // The connection is there before it sleeps: what it reads first when it wakes is the call, not its clock.
      const connection = new RawConnection(holder.daemonUrl);
      connection.say(bytesOf(`GET /node/spare/power_status?token=${token}`));
      await connection.hears('"power_status":"off"');
      const told = await spare.told();
      process.kill(pid, 'SIGSTOP');
      try {
        connection.say(bytesOf(`POST /node/spare/power_on?token=${token}`, { 'content-length': '0' }));
        await hasTakenOver(standby);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      await connection.hears(/503 Service Unavailable[^]*another process (?:manages|may manage) these nodes/);
      expect([await spare.power(), await spare.told()]).toEqual(['off', told]);
    });

    it('a rotation of the key while both run changes nothing', async () => {
      const { first, second } = machines;
      for (const step of [['--prepare'], ['--keep-old'], []]) {
        await rotated(first.env, ...step);
        for (const machine of [first, second]) await done(machine.admin().get('/node/n1/power_status'));
        await machines.copyKey();
        for (const machine of [first, second]) await done(machine.admin().post('/node/n1/bmc/test'));
      }
      // One that opens what the processes show each other for the first time.
      const program = await startProgram(machines.plain);
      const admin = clientOf(program.url, basic('admin', adminPassword));
      await done(admin.post('/node/n1/bmc/test'));
      await program.kill('SIGTERM');
    });

    it('a machine with another key does not start, and says what it lacks', async () => {
      const { second } = machines;
      const right = await readFile(second.keyFile, 'utf8');
      await second.kill();
      await writeFile(second.keyFile, formatKeyRing(ringWith(newKey())));
      const { code, output } = await runToEnd(second.env);
      expect(code).toBe(2);
      expect(output).toContain(`${second.keyFile} is not the key that this database's secrets were sealed with`);
      await writeFile(second.keyFile, right);
    });
  },
);

/** A token for a node that is registered with the daemon of a machine past the service. */
const tokenAt = async ({ daemonUrl, env }: PowerMachine, node: string, info: object): Promise<string> => {
  const adminToken = (await readFile(join(env['CORRAL_DATA_DIR'] ?? '', 'obmd-admin-token'), 'utf8')).trim();
  const headers = { authorization: basic('admin', adminToken) };
  const body = JSON.stringify({ type: 'ipmi', info });
  expect((await fetch(`${daemonUrl}/node/${node}`, { method: 'PUT', headers, body })).status).toBe(200);
  const answer = await fetch(`${daemonUrl}/node/${node}/token`, { method: 'POST', headers });
  return ((await answer.json()) as { token: string }).token;
};

const powerEvents = async (machine: PowerMachine): Promise<number> => {
  const { body } = await done(machine.admin().get('/events?type=node_power_off'));
  return (body as { events: readonly unknown[] }).events.length;
};
