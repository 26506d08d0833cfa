import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasPart, type LabHost, type LabOvs, startOvs } from '@corral/lab';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startDyingProgram } from '../support/services/dying-program.ts';
import { engines } from '../support/services/engines.ts';
import { basic, clientOf } from '../support/http/http-client.ts';
import { nodeOf, patient, revertAll, vlansOf, wire } from '../support/switches/packet-switches.ts';
import { adminPassword, type Service, startService } from '../support/services/service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { connect, detach, done, eventually, makeNetwork, makeProject, reserve } from '../support/services/world.ts';

const engine = engines.at(-1) ?? 'sqlite';
const projects = ['red', 'blue'] as const;
const settings = { ...patient, CORRAL_ENGINE_DEVICE_TIMEOUT: '2', CORRAL_ENGINE_LEASE: '2' };

describe.runIf(hasPart('Open vSwitch'))('a write that arrives after its node was given to another project', () => {
  let service: Service;
  let ovs: LabOvs;
  let vlans: ReadonlyMap<string, number>;
  /** One stays in red, one in blue, and the third changes hands. */
  const host = (index: number): LabHost => {
    const found = ovs.hosts[index];
    if (!found) throw new Error(`there is no host ${index}`);
    return found;
  };
  const mover = () => nodeOf(host(2));

  beforeAll(async () => {
    [service, ovs] = await Promise.all([startService(engine, settings), startOvs({ hosts: 3 })]);
    await wire(service.admin, 'ovs', ovs, { settle_ms: 200 });
    await revertAll(service, ovs.hosts);
    for (const [index, project] of projects.entries()) {
      await makeProject(service, project);
      await makeNetwork(service, project, project);
      await reserve(service, project, nodeOf(host(index)));
      await connect(service, nodeOf(host(index)), 'eth0', project);
    }
    vlans = await vlansOf(service.admin);
  });
  afterAll(async () => {
    await ovs.stop();
    await service.stop();
    await rm(service.dataDir, { recursive: true, force: true });
  });

  /** The node leaves red for blue. */
  const changeHands = async (): Promise<void> => {
    await detach(service, mover(), 'eth0', 'red');
    await done(service.admin.post('/project/red/detach_node', { node: mover() }));
    await reserve(service, 'blue', mover());
    await connect(service, mover(), 'eth0', 'blue');
  };
  const giveBack = async (): Promise<void> => {
    await detach(service, mover(), 'eth0', 'blue');
    await done(service.admin.post('/project/blue/detach_node', { node: mover() }));
  };
  /** What red's host hears of a node that is blue's by now, while this happens and a while after. */
  const heardInRed = async (during: () => Promise<void>): Promise<number> => {
    const [red, blue] = await Promise.all([host(0).capture(), host(1).capture()]);
    const stream = host(2).stream({ marker: 'mover', tags: 'untagged' }, 20);
    await during();
    // What never comes cannot be waited for: this is many times what a change takes.
    await sleep(1_000);
    const since = Date.now();
    await blue.until(({ marker, at }) => marker === 'mover' && at >= since);
    await stream.stop();
    await blue.stop();
    return (await red.stop()).filter(({ marker }) => marker === 'mover').length;
  };

  it(
    'over a flow that was lost and heals: the switch refuses it, and no frame passes',
    { timeout: 90_000 },
    async () => {
      await reserve(service, 'red', mover());
      // The first write of the connection is lost; it is tried again on another session.
      ovs.breakLine({ kind: 'hold', from: '"update"' });
      await connect(service, mover(), 'eth0', 'red');
      await changeHands();
      expect(await heardInRed(() => mend(ovs))).toBe(0);
      expect(await ovs.carried(host(2).port)).toEqual({ native: vlans.get('blue'), tagged: [] });
      await giveBack();
    },
  );

  it.runIf(engine === 'postgres')(
    'by a process that slept: it is never sent, and the port is read again',
    { timeout: 120_000 },
    async () => {
      await reserve(service, 'red', mover());
      await service.stop();
      const sleeper = await startDyingProgram(service.env, 'marked as touched', 1, 'SIGSTOP');
      onTestFinished(() => sleeper.kill());
      const admin = clientOf(sleeper.url, basic('admin', adminPassword));
      await done(admin.post(`/node/${mover()}/nic/eth0/connect_network`, { network: 'red' }));
      await eventually(async () => ((await stateOf(sleeper.pid)) === 'T' ? true : undefined));
      service = await service.restart();
      await eventually(async () => {
        const { body } = await done(service.admin.get(`/node/${mover()}`));
        return JSON.stringify(body).includes('"vlan/native":"red"') ? true : undefined;
      });
      await changeHands();
      const before = await readAt();
      const heard = await heardInRed(async () => {
        process.kill(sleeper.pid, 'SIGCONT');
        await eventually(async () => ((await readAt()) > before ? true : undefined));
      });
      expect(heard).toBe(0);
      expect(await ovs.carried(host(2).port)).toEqual({ native: vlans.get('blue'), tagged: [] });
      await giveBack();
    },
  );

  const readAt = async (): Promise<number> => {
    const select = `select read_at as at from ports where label = '${host(2).port}'`;
    const [row] = await runSql(service, { sqlite: select, postgres: select });
    return Number((row as { at: unknown }).at);
  };
});

/** The state of a process as the kernel tells it: T is stopped. */
const stateOf = async (pid: number): Promise<string> =>
  (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ')[2] ?? '';

const mend = (ovs: LabOvs): Promise<void> => {
  ovs.breakLine(null);
  return Promise.resolve();
};
