import { labCertificate, labKey } from '@corral/lab';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Names, startTrap } from '../support/http/test-outbound.ts';
import { projectsTold, type Receiver, startReceiver } from '../support/http/webhook-receiver.ts';
import { type EngineName, engines } from '../support/services/engines.ts';
import { serviceForTest } from '../support/services/service.ts';
import { done, eventually, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';
import {
  eventsOf,
  everywhere,
  hurry,
  projectTargets,
  showSubscription,
  subscribe,
  untilSubscription,
} from '../support/services/subscriptions.ts';

describe.each(engines)('webhooks on %s', (engine: EngineName) => {
  it('go only to receivers whose certificate is good', async () => {
    const receiver = await startReceiver({ tls: { cert: labCertificate, key: labKey } });
    const untrusting = await serviceForTest(engine);
    await subscribe(untrusting, 'hook', { url: receiver.url });
    const tested = (await done(untrusting.admin.post('/subscription/hook/test'))).body;
    expect(tested).toEqual({
      delivered: false,
      result: expect.stringMatching(/^has a certificate that is not trusted/) as string,
    });
    await makeProject(untrusting, 'p1');
    await untilSubscription(untrusting, 'hook', ({ attempts }) => attempts > 0);
    expect(receiver.received).toEqual([]);

    const ca = join(untrusting.dataDir, 'ca.pem');
    await writeFile(ca, labCertificate);
    const trusting = await serviceForTest(engine, { CORRAL_WEBHOOKS_CA: ca });
    await subscribe(trusting, 'hook', { url: receiver.url });
    await makeProject(trusting, 'p1');
    await eventually(() => (receiver.taken.length === 1 ? true : undefined));
    // The authority is good, and the name is another's.
    const elsewhere = await startReceiver({ tls: { cert: labCertificate, key: labKey }, host: '127.0.0.2' });
    await done(trusting.admin.patch('/subscription/hook', { url: elsewhere.url }));
    const other = (await done(trusting.admin.post('/subscription/hook/test'))).body;
    expect(other).toEqual({
      delivered: false,
      result: 'has a certificate that is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)',
    });
    expect(elsewhere.received).toEqual([]);
  });

  it('go where connections may go at the moment of each connection, however names change', async () => {
    const names = new Names();
    const receiver = await startReceiver();
    const trap = await startTrap('127.0.0.3', Number(new URL(receiver.url).port));
    const service = await serviceForTest(engine, {}, { outbound: names.outbound('127.0.0.1') });
    const url = receiver.url.replace('127.0.0.1', 'hooks.example.org');
    await subscribe(service, 'hook', { url });
    await makeProject(service, 'p1');
    await eventually(() => (receiver.taken.length === 1 ? true : undefined));
    names.addresses = ['127.0.0.3'];
    await makeProject(service, 'p2');
    expect(await untilSubscription(service, 'hook', ({ attempts }) => attempts > 0)).toMatchObject({
      last_result: 'is at an address where webhooks may not go',
    });
    expect(trap.visits()).toEqual([]);
    names.addresses = ['127.0.0.1'];
    await hurry(service);
    await eventually(() => (receiver.taken.length === 2 ? true : undefined));
    expect(projectsTold(receiver)).toEqual(['p1', 'p2']);
  });

  it('of a project tell its members nothing of names inside the site', async () => {
    const service = await serviceForTest(engine, { CORRAL_WEBHOOKS_PROJECT_TARGETS: '192.0.2.0/24' });
    await makeProject(service, 'red');
    const member = await makeUser(service, 'ada', 'red');
    for (const host of ['localhost', 'no-such-name.invalid']) {
      await done(member.put('/subscription/hook', { project: 'red', url: `http://${host}/` }));
      expect((await done(member.post('/subscription/hook/test'))).body, host).toEqual({
        delivered: false,
        result: 'has no address where webhooks may go',
      });
      await done(member.del('/subscription/hook'));
    }
  });

  it('of a project are sent what its members may see, whatever happens at random in others', async () => {
    const service = await serviceForTest(engine, projectTargets);
    const labels = ['red', 'blue', 'green'] as const;
    const receivers = new Map<string, Receiver>();
    for (const project of labels) {
      await makeProject(service, project);
      await makeUser(service, `member-of-${project}`, project);
      await makeNode(service, `n-${project}`);
      const receiver = await startReceiver();
      receivers.set(project, receiver);
      await done(service.as(`member-of-${project}`).put(`/subscription/of-${project}`, { project, url: receiver.url }));
    }
    const [{ id: begun } = { id: 0 }] = (await eventsOf(service)).slice(-1);
    const free = new Set<string>(labels.map((label) => `n-${label}`));
    const held = new Map<string, string>();
    for (let step = 0; step < 40; step += 1) {
      const project = labels[Math.floor(Math.random() * 3)] ?? 'red';
      const node = `n-${labels[Math.floor(Math.random() * 3)] ?? 'red'}`;
      if (free.delete(node)) {
        await reserve(service, project, node);
        held.set(node, project);
      } else {
        await done(service.admin.post(`/project/${held.get(node) ?? ''}/detach_node`, { node }));
        free.add(node);
      }
    }
    for (const project of labels) {
      const seen = (await done(service.as(`member-of-${project}`).get(`/events?after=${begun}&limit=1000`))).body as {
        events: { id: number; type: string; detail: { subscription?: string } }[];
      };
      const wanted = seen.events;
      const receiver = receivers.get(project);
      await eventually(() => ((receiver?.taken.length ?? 0) >= wanted.length ? true : undefined));
      expect(receiver?.taken.map(({ data }) => data)).toEqual(
        wanted.filter(({ detail }) => detail.subscription !== `of-${project}`),
      );
    }
  });

  it('contain no secret in logs and events, nor does the log contain the URL', async () => {
    const service = await serviceForTest(engine);
    const receiver = await startReceiver();
    receiver.react = () => 500;
    const secret = await subscribe(service, 'hook', { url: receiver.url });
    await done(service.admin.post('/subscription/hook/rotate_secret'));
    await makeProject(service, 'p1');
    await untilSubscription(service, 'hook', ({ attempts }) => attempts > 0);
    const told =
      service.log.join('') +
      JSON.stringify(await eventsOf(service)) +
      JSON.stringify(await showSubscription(service, 'hook'));
    expect(told).toContain('failed to deliver a webhook');
    expect(told).not.toContain('whsec_');
    expect(told).not.toContain(secret.replace('whsec_', ''));
    expect(service.log.join('') + JSON.stringify(await eventsOf(service))).not.toContain('in-the-url');
    const stored = JSON.stringify(await everywhere(service, 'select * from subscriptions'));
    expect(stored).not.toContain('in-the-url');
    expect(stored).not.toContain('whsec_');
  });
});
