import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ChangeHints } from '../../src/server/change-hints.ts';
import { type EventStream, follow } from '../support/http/event-stream.ts';
import { engines } from '../support/services/engines.ts';
import { replicaOf } from '../support/services/obm-rack.ts';
import { serviceForTest } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import {
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  obmd,
  reserve,
} from '../support/services/world.ts';

const hint = 'event: changed';
const hintsIn = ({ frames }: EventStream): number => frames.filter((frame) => frame === hint).length;

describe.each(engines)('hints that everybody’s lists have changed on %s', (engine) => {
  const service = sharedService(engine, {
    CORRAL_MAINTENANCE_PROJECT: 'pool',
    CORRAL_MAINTENANCE_URL: 'http://127.0.0.1:9/hook',
    CORRAL_VLANS: '100-140',
  });

  const streamOf = async (caller: string, last?: number, url = service().url): Promise<EventStream> => {
    const stream = await follow(url, caller, last);
    onTestFinished(() => stream.close());
    await eventually(() => (stream.frames.includes(': connected') ? true : undefined));
    return stream;
  };
  /** Waits until a stream has been told of everything so far, by an event that its caller may see. */
  const caughtUp = async (stream: EventStream, project: string, network: string): Promise<void> => {
    await makeNetwork(service(), network, project);
    await eventually(() => stream.events.find((event) => event['network'] === network));
  };
  const hinted = (stream: EventStream, before: number): Promise<true> =>
    eventually(() => (hintsIn(stream) > before ? true : undefined));
  const newest = async (): Promise<number> => {
    const { events } = (await done(service().admin.get('/events?limit=1'))).body as { events: { id: number }[] };
    return events[0]?.id ?? 0;
  };

  beforeAll(async () => {
    for (const project of ['ours', 'theirs']) await makeProject(service(), project);
    await makeUser(service(), 'ada', 'ours');
    await makeUser(service(), 'lone');
  });

  it('reach a tenant when another project reserves a free node, and name neither the project nor the node', async () => {
    await makeNode(service(), 'wanted');
    const streams = [await streamOf('ada'), await streamOf('lone')];
    await reserve(service(), 'theirs', 'wanted');
    for (const stream of streams) {
      await hinted(stream, 0);
      expect(stream.frames.filter((frame) => frame !== ':')).toEqual([': connected', hint]);
    }
    expect((await done(service().as('ada').get('/nodes/free'))).body).not.toContain('wanted');
  });

  it('come for every change of what everybody can see', async () => {
    const { admin } = service();
    const stream = await streamOf('ada');
    for (const change of [
      () => done(admin.put('/node/open', { obmd })),
      () => done(admin.put('/node/open/metadata/gpus', { value: 4 })),
      () => done(admin.del('/node/open/metadata/gpus')),
      () => done(admin.put('/node/open/nic/eth0', { macaddr: 'm' })),
      () => done(admin.del('/node/open/nic/eth0')),
      () => done(admin.post('/project/pool/connect_node', { node: 'open' })),
      // The pool itself lets go of it.
      () => done(admin.post('/project/pool/detach_node', { node: 'open' })),
      () => done(admin.del('/node/open')),
      () => done(admin.put('/network/campus', { owner: 'admin', access: '', net_id: '' })),
      () => done(admin.del('/network/campus')),
      () => done(admin.put('/network/lent', { owner: 'theirs', access: '', net_id: '' })),
      () => done(admin.del('/network/lent')),
    ]) {
      const before = hintsIn(stream);
      await change();
      await hinted(stream, before);
    }
    expect(stream.events).toEqual([]);
  });

  it('do not come for what others may not see, and neither does anything else', async () => {
    const { admin } = service();
    await makeNode(service(), 'quiet');
    await reserve(service(), 'theirs', 'quiet');
    const began = performance.now();
    const stream = await streamOf('ada');
    await makeNetwork(service(), 'their-net', 'theirs');
    await done(admin.put('/network/their-net/access/pool'));
    await done(admin.del('/network/their-net/access/pool'));
    await done(admin.del('/network/their-net'));
    await done(admin.put('/node/quiet/metadata/gpus', { value: 4 }));
    await done(admin.put('/node/quiet/nic/eth0', { macaddr: 'm' }));
    await makeProject(service(), 'another');
    // It goes to the maintenance pool, and is not free.
    await done(admin.post('/project/theirs/detach_node', { node: 'quiet' }));
    await caughtUp(stream, 'ours', 'mark');
    const [connected, event, ...more] = stream.frames.filter((frame) => frame !== ':');
    expect(connected).toBe(': connected');
    expect(event).toContain('"network":"mark"');
    expect(more).toEqual([]);
    // Signs of life come by the clock, and not with what is hidden.
    const signs = stream.frames.filter((frame) => frame === ':').length;
    expect(signs).toBeLessThanOrEqual(Math.floor((performance.now() - began) / 5_000));
  });

  it('do not come because a stream is the first, whatever happens while it opens', async () => {
    const fresh = await serviceForTest(engine);
    await makeProject(fresh, 'ours');
    await makeUser(fresh, 'ada', 'ours');
    const opening = streamOf('ada', undefined, fresh.url);
    for (const project of ['p1', 'p2', 'p3', 'p4', 'p5', 'p6']) await makeProject(fresh, project);
    const stream = await opening;
    await makeNetwork(fresh, 'mark', 'ours');
    await eventually(() => stream.events.find((event) => event['network'] === 'mark'));
    expect(hintsIn(stream)).toBe(0);
  });

  it('come again after the last of many changes', async () => {
    const stream = await streamOf('lone');
    const free = async () => (await done(service().as('lone').get('/nodes/free'))).body as string[];
    let [seen, known]: [number, string[]] = [0, []];
    for (let index = 0; index < 8; index += 1) await done(service().admin.put(`/node/many-${index}`, { obmd }));
    // A client that asks at each hint, and never otherwise, ends with the truth.
    await eventually(async () => {
      if (hintsIn(stream) > seen) [seen, known] = [hintsIn(stream), await free()];
      return known.includes('many-7') ? true : undefined;
    });
    expect(known).toEqual(await free());
  });

  it('come to a client that resumes if something changed since, and not if nothing did', async () => {
    const first = await newest();
    await done(service().admin.put('/node/missed', { obmd }));
    const late = await streamOf('ada', first);
    await hinted(late, 0);
    const current = await streamOf('ada', await newest());
    const ahead = await streamOf('ada', 10 ** 14);
    await caughtUp(current, 'ours', 'mark-2');
    expect([hintsIn(current), hintsIn(ahead)]).toEqual([0, 0]);
    await done(service().admin.del('/node/missed'));
    for (const stream of [current, ahead]) await hinted(stream, 0);
  });

  it.runIf(engine === 'postgres')('come from another process too', async () => {
    const other = await replicaOf(service());
    const stream = await streamOf('ada', undefined, other.url);
    await done(service().admin.put('/node/elsewhere', { obmd }));
    await hinted(stream, 0);
  });
});

describe('hints of one stream', () => {
  it('are at most one a second, and the last change is not lost', () => {
    const hints = new ChangeHints(10);
    hints.note({ since: 5, newest: 10 }, 10);
    expect([hints.take(0), hints.waitMs(0)]).toEqual(['', Infinity]);
    hints.note({ since: 5, newest: 11 }, 11);
    expect(hints.take(0)).toBe(`${hint}\n\n`);
    hints.note({ since: 5, newest: 12 }, 12);
    hints.note({ since: 5, newest: 14 }, 14);
    expect([hints.take(400), hints.waitMs(400), hints.take(999)]).toEqual(['', 600, '']);
    expect([hints.take(1000), hints.take(2000), hints.waitMs(2000)]).toEqual([`${hint}\n\n`, '', Infinity]);
  });

  it('begin with one where nobody knows what happened since', () => {
    const hints = new ChangeHints(3);
    hints.note({ since: 5, newest: 5 }, 8);
    expect([hints.take(0), hints.take(5000)]).toEqual([`${hint}\n\n`, '']);
  });

  it('are not kept back by the id of an event that is to come', () => {
    const hints = new ChangeHints(1000);
    hints.note({ since: 5, newest: 5 }, 8);
    hints.note({ since: 5, newest: 9 }, 9);
    expect(hints.take(0)).toBe(`${hint}\n\n`);
  });
});
