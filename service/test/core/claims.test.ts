import { describe, expect, it } from 'vitest';
import type { Client } from '../support/http/http-client.ts';
import { engines } from '../support/services/engines.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import {
  done,
  eventually,
  makeNode,
  makeProject,
  makeUser,
  obmd,
  reserve,
  settled,
} from '../support/services/world.ts';

interface Claimed {
  readonly state: string;
  readonly nodes: readonly string[];
}

describe.each(engines)('claims on %s', (engine) => {
  const service = sharedService(engine);
  let count = 0;

  /** A key of metadata that only the nodes of one test have: all of them share a service. */
  const site = async (nodes: Readonly<Record<string, Readonly<Record<string, unknown>>>>) => {
    const key = `site${(count += 1)}`;
    const project = `${key}-project`;
    await makeProject(service(), project);
    for (const [node, metadata] of Object.entries(nodes)) {
      await done(service().admin.put(`/node/${key}-${node}`, { obmd, metadata: { ...metadata, [key]: true } }));
    }
    const member = await makeUser(service(), `${key}-member`, project);
    const claim = (body: Readonly<Record<string, unknown>>, as: Client = member, of = project) => {
      const { metadata = {}, match = {}, ...rest } = body as Record<string, Record<string, unknown>>;
      return as.post(`/project/${of}/claim`, {
        ...rest,
        match: { ...match, metadata: { [key]: { present: true }, ...metadata } },
      });
    };
    /** What a claim reserves, without the prefix; the nodes are given back. */
    const claimed = async (body: Readonly<Record<string, unknown>>, as: Client = member): Promise<string[]> => {
      const { state, nodes } = (await done(claim(body, as))).body as Claimed;
      expect(state).toBe('served');
      expect((await member.get(`/project/${project}/nodes`)).body).toEqual([...nodes].sort());
      for (const node of nodes) await done(member.post(`/project/${project}/detach_node`, { node }));
      return nodes.map((node) => node.slice(key.length + 1));
    };
    return { key, project, member, claim, claimed };
  };

  it('reserves free nodes in the natural order of their labels, and records each', async () => {
    const { key, project, member, claim } = await site({ n10: {}, n9: {}, n1: {} });
    const answer = await claim({ count: 2 });
    expect([answer.status, answer.body]).toEqual([
      200,
      { state: 'served', nodes: [`${key}-n1`, `${key}-n9`], claim: null, place: null },
    ]);
    const { events } = (await member.get(`/events?project=${project}&limit=100`)).body as {
      events: { type: string; node?: string; caller: string; detail: unknown }[];
    };
    const mine = events.filter(({ caller }) => caller === `${key}-member`);
    expect(mine.map(({ type, node }) => [type, node])).toEqual([
      ['project_claim', undefined],
      ['project_connect_node', `${key}-n9`],
      ['project_connect_node', `${key}-n1`],
    ]);
    expect(mine[0]?.detail).toEqual({ count: 2, nodes: [`${key}-n1`, `${key}-n9`] });
  });

  describe('match', () => {
    const rack = {
      n1: { gpus: 0, rack: 'r1', model: 'x' },
      n2: { gpus: 2, rack: 'r1', ib: null },
      n3: { gpus: '4', rack: 'r2', model: '4.0' },
      n4: { gpus: 8.5, rack: 'r10', model: 4 },
      n5: { gpus: 'many', rack: 7, ib: 'yes', model: 'a'.repeat(300) },
      n6: { gpus: -3, model: true, tags: ['a', 'b'] },
      n7: { gpus: '1e3', rack: '' },
    };
    let made: ReturnType<typeof site> | undefined;
    const conditions: readonly (readonly [object, string])[] = [
      [{ gpus: { at_least: 4 } }, 'n3 n4'],
      [{ gpus: { at_most: 2 } }, 'n1 n2 n6'],
      [{ gpus: { more_than: 4 } }, 'n4'],
      [{ gpus: { more_than: 8.4999999 } }, 'n4'],
      [{ gpus: { less_than: 0 } }, 'n6'],
      [{ gpus: { at_least: 0, at_most: 4 } }, 'n1 n2 n3'],
      [{ gpus: { equals: 4 } }, 'n3'],
      [{ gpus: { equals: '4' } }, 'n3'],
      [{ gpus: { equals: 'many' } }, 'n5'],
      [{ gpus: { not_equals: 4 } }, 'n1 n2 n4 n5 n6 n7'],
      [{ gpus: { equals: '1e3' } }, 'n7'],
      [{ rack: { one_of: ['r1', 'r2'] } }, 'n1 n2 n3'],
      [{ rack: { one_of: ['7', 'r10'] } }, 'n4 n5'],
      [{ rack: { equals: '' } }, 'n7'],
      [{ model: { equals: 4 } }, 'n3 n4'],
      [{ model: { equals: true } }, 'n6'],
      [{ model: { equals: 'true' } }, 'n6'],
      [{ model: { present: true } }, 'n1 n3 n4 n5 n6'],
      [{ model: { present: false } }, 'n2 n7'],
      [{ model: { not_equals: 'x' } }, 'n2 n3 n4 n5 n6 n7'],
      [{ ib: { present: true } }, 'n2 n5'],
      [{ ib: { equals: 'null' } }, 'n2'],
      [{ tags: { equals: '["a","b"]' } }, 'n6'],
      [{ gpus: { at_least: 2 }, rack: { one_of: ['r2', 'r10'] }, model: { present: true } }, 'n3 n4'],
    ];
    it.each(conditions)('%j', async (metadata, expected) => {
      const { claimed, key, member, project } = await (made ??= site(rack));
      const fitting = expected.split(' ');
      expect(await claimed({ count: fitting.length, metadata })).toEqual(fitting);
      // One more would be too many.
      const body = { count: fitting.length + 1, match: { metadata: { [key]: { present: true }, ...metadata } } };
      expect(await refusal(member.post(`/project/${project}/claim`, body))).toBe('409 BlockedError');
      const preview = await done(member.post(`/project/${project}/claim/preview`, body));
      expect(preview.body).toMatchObject({ fit: fitting.length, nodes: [] });
    });

    it('follows changes of metadata', async () => {
      const { key, claimed, claim } = await site({ n1: { a: 1 }, n2: {} });
      expect(await claimed({ count: 1, metadata: { a: { at_least: 1 } } })).toEqual(['n1']);
      await done(service().admin.put(`/node/${key}-n2/metadata/a`, { value: 5 }));
      expect(await claimed({ count: 2, metadata: { a: { at_least: 1 } } })).toEqual(['n1', 'n2']);
      await done(service().admin.put(`/node/${key}-n1/metadata/a`, { value: 'none' }));
      expect(await claimed({ count: 1, metadata: { a: { at_least: 1 } } })).toEqual(['n2']);
      await done(service().admin.del(`/node/${key}-n2/metadata/a`));
      expect(await refusal(claim({ count: 1, metadata: { a: { at_least: 1 } } }))).toBe('409 BlockedError');
      await done(service().admin.del(`/node/${key}-n1`));
      await done(service().admin.put(`/node/${key}-n1`, { obmd, metadata: { [key]: 1 } }));
      expect(await refusal(claim({ count: 1, metadata: { a: { present: true } } }))).toBe('409 BlockedError');
    });

    it('takes any metadata there can be', async () => {
      const values = [
        '\0',
        '\ud800',
        'x'.repeat(10_000),
        '9'.repeat(400),
        1e308,
        { deep: [1] },
        null,
        '🐎'.repeat(100),
      ];
      const { claimed } = await site(Object.fromEntries(values.map((odd, index) => [`n${index}`, { odd }])));
      const all = values.map((_, index) => `n${index}`);
      expect(await claimed({ count: values.length, metadata: { odd: { present: true } } })).toEqual(all);
      expect(await claimed({ count: 1, metadata: { odd: { at_least: 1e307 } } })).toEqual(['n4']);
      expect(await claimed({ count: 1, metadata: { odd: { equals: '🐎'.repeat(100) } } })).toEqual(['n7']);
    });

    it('counts nics, and knows switches for administrators only', async () => {
      const { key, project, member, claim, claimed } = await site({});
      for (const [node, nics, on] of [
        ['one', ['eth0'], 'a'],
        ['two', ['eth0', 'eth1'], 'b'],
      ] as const) {
        await makeNode(service(), `${key}-${node}`, nics, `${key}-${on}`);
        await done(service().admin.put(`/node/${key}-${node}/metadata/${key}`, { value: true }));
      }
      expect(await claimed({ count: 1, match: { nics: { at_least: 2 } } })).toEqual(['two']);
      const bySwitch = { count: 1, match: { switch: `${key}-a` } };
      expect(await refusal(claim(bySwitch))).toBe('401 AuthorizationError');
      expect(await message(claim(bySwitch))).toContain('administrators');
      expect(await refusal(claim({ count: 1, match: { switch: 'nowhere' } }))).toBe('401 AuthorizationError');
      expect(await refusal(claim({ count: 1, match: { switch: 'nowhere' } }, service().admin))).toBe(
        '404 NotFoundError',
      );
      const answer = await done(service().admin.post(`/project/${project}/claim`, bySwitch));
      expect((answer.body as Claimed).nodes).toEqual([`${key}-one`]);
      expect((await member.get(`/project/${project}/nodes`)).body).toEqual([`${key}-one`]);
    });

    const conditionsOf = (total: number) =>
      Object.fromEntries(Array.from({ length: total }, (_, index) => [`k${index}`, { at_least: 1, at_most: 2 }]));
    it.each([
      [{}, /"count".*missing/],
      [{ count: 0 }, /"count".*1 to 100/],
      [{ count: 101 }, /"count".*1 to 100/],
      [{ count: 1.5 }, /"count".*1 to 100/],
      [{ count: 1, match: { metadata: { a: {} } } }, /expected an object with some of "equals"/],
      [{ count: 1, match: { metadata: { a: { over: 4 } } } }, /over/],
      [{ count: 1, match: { metadata: { a: { at_least: '4' } } } }, /at_least.*a number/],
      [{ count: 1, match: { metadata: { a: { one_of: [] } } } }, /one_of.*1 to 50/],
      [{ count: 1, match: { metadata: { a: { equals: 'x'.repeat(201) } } } }, /equals.*200/],
      [{ count: 1, match: { metadata: conditionsOf(11) } }, /22 conditions; expected at most 20/],
      [{ count: 1, prefer: { spread: 'a', pack: 'b' } }, /"prefer".*either/],
      [{ count: 1, wait: 'yes' }, /"wait"/],
      [{ count: 1, wait: { until: 'soon' } }, /not a time/],
      [{ count: 1, wait: { until: '2001-01-01T00:00:00Z' } }, /past/],
      [{ count: 1, wait: { until: '2999-01-01T00:00:00Z' } }, /30 days/],
    ])('refuses %j', async (body, sentence) => {
      const { project, member } = await (made ??= site(rack));
      const answer = member.post(`/project/${project}/claim`, body);
      expect(await refusal(answer)).toMatch(/^400 /);
      expect(await message(answer)).toMatch(sentence);
    });
  });

  describe('prefer', () => {
    const racks = {
      n1: { rack: 'r1' },
      n2: { rack: 'r1' },
      n3: { rack: 'r1' },
      n4: { rack: 'r2' },
      n5: { rack: 'r2' },
      n6: { rack: 'r10' },
      n7: {},
    };
    let made: ReturnType<typeof site> | undefined;
    it.each([
      [{ spread: 'rack' }, 3, 'n1 n4 n6'],
      [{ spread: 'rack' }, 4, 'n1 n4 n6 n7'],
      [{ spread: 'rack' }, 6, 'n1 n2 n4 n5 n6 n7'],
      [{ spread: 'rack' }, 7, 'n1 n2 n3 n4 n5 n6 n7'],
      [{ pack: 'rack' }, 1, 'n6'],
      [{ pack: 'rack' }, 2, 'n4 n5'],
      [{ pack: 'rack' }, 3, 'n1 n2 n3'],
      [{ pack: 'rack' }, 4, 'n1 n2 n3 n6'],
      [{ pack: 'rack' }, 5, 'n1 n2 n3 n4 n5'],
      [{ spread: 'nothing' }, 2, 'n1 n2'],
    ])('%j %i', async (prefer, wanted, expected) => {
      const { claimed } = await (made ??= site(racks));
      expect(await claimed({ count: wanted, prefer })).toEqual(expected.split(' '));
    });
  });

  it('refuses with what is lacking, and not with whose nodes they are', async () => {
    const { key, member, project, claim } = await site({
      n1: { cards: 4, row: 'r1' },
      n2: { cards: 4, row: 'r1' },
      n3: { cards: 4, row: 'r1' },
      n4: { cards: 1, row: 'r1' },
    });
    await makeProject(service(), `${key}-secret`);
    await reserve(service(), `${key}-secret`, `${key}-n3`);
    const wanted = { count: 4, metadata: { cards: { at_least: 4 }, row: { one_of: ['r1', 'r2'] } } };
    const sentence = await message(claim(wanted));
    expect(sentence).toBe(
      `4 nodes are asked for, and 2 free nodes fit; 1 more fits but is not free. Of the free nodes, cards at least 4 is met by 2, ${key} present by 3, row one of r1, r2 by 3`,
    );
    expect(sentence).not.toContain('secret');
    expect((await member.get(`/project/${project}/nodes`)).body).toEqual([]);
    const preview = { match: { metadata: { [key]: { present: true }, ...wanted.metadata } } };
    expect((await done(member.post(`/project/${project}/claim/preview`, { count: 4, ...preview }))).body).toEqual({
      fit: 2,
      nodes: [],
      refusal: sentence,
    });
    expect((await done(member.post(`/project/${project}/claim/preview`, { count: 1, ...preview }))).body).toEqual({
      fit: 2,
      nodes: [`${key}-n1`],
      refusal: null,
    });
    expect((await member.get(`/project/${project}/nodes`)).body).toEqual([]);
  });

  it('passes over nodes that project_connect_node would refuse, and says why', async () => {
    const { key, project, member, claim, claimed } = await site({ n2: {} });
    const sw = `${key}-sw`;
    await makeNode(service(), `${key}-n1`, ['eth0'], sw);
    await done(service().admin.put(`/node/${key}-n1/metadata/${key}`, { value: true }));
    service().simulated(sw).faults = { unreachable: true };
    // A session that is open already may still do it: then once more.
    await eventually(async () => {
      const reverted = await service().admin.post(`/switch/${sw}/port/${key}-n1/eth0/revert`);
      return (await settled(service(), reverted)).status === 'ERROR' ? true : undefined;
    });
    expect(await claimed({ count: 1 })).toEqual(['n2']);
    const refused = member.post(`/project/${project}/connect_node`, { node: `${key}-n1` });
    const why = (await message(refused)).replace(' cannot be reserved', '');
    const sentence = await message(claim({ count: 2 }));
    expect(sentence).toBe(`2 nodes are asked for, and 1 free node fits; 1 fits but cannot be reserved now (${why})`);
    expect(sentence).not.toContain(sw);
    expect(await message(claim({ count: 2 }, service().admin))).toContain(sw);
    service().simulated(sw).faults = {};
  });

  it('gives no node twice when twenty claim at once, and all or none to each', async () => {
    const nodes = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`n${index}`, {}]));
    const { key, claim } = await site(nodes);
    const projects = Array.from({ length: 20 }, (_, index) => `${key}-p${index}`);
    for (const project of projects) await makeProject(service(), project);
    const answers = await Promise.all(projects.map((project) => claim({ count: 4 }, service().admin, project)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 7 }, () => 200),
      ...Array.from({ length: 13 }, () => 409),
    ]);
    const given = answers.flatMap(({ status, body }) => (status === 200 ? (body as Claimed).nodes : []));
    expect(new Set(given).size).toBe(28);
    for (const [index, project] of projects.entries()) {
      const owned = (await service().admin.get(`/project/${project}/nodes`)).body as string[];
      const answer = answers[index];
      expect(owned).toEqual(answer?.status === 200 ? [...(answer.body as Claimed).nodes].sort() : []);
    }
  });

  it('takes turns with project_connect_node: each node has one owner', async () => {
    const nodes = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`n${index}`, {}]));
    const { key, claim } = await site(nodes);
    const projects = Array.from({ length: 12 }, (_, index) => `${key}-q${index}`);
    for (const project of projects) await makeProject(service(), project);
    const answers = await Promise.all(
      projects.flatMap((project, index) => [
        claim({ count: 2 }, service().admin, project),
        service().admin.post(`/project/${project}/connect_node`, { node: `${key}-n${index}` }),
      ]),
    );
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const won = answers.filter(({ status }) => status === 200);
    const given = won.flatMap(({ body }) => (body as Claimed | undefined)?.nodes ?? []);
    const connected = won.length - won.filter(({ text }) => text !== '').length;
    expect(new Set(given).size).toBe(given.length);
    const owned: string[] = [];
    for (const project of projects)
      owned.push(...((await service().admin.get(`/project/${project}/nodes`)).body as string[]));
    expect(new Set(owned).size).toBe(owned.length);
    expect(owned.length).toBe(given.length + connected);
  });

  it('is for members and administrators', async () => {
    const { claim } = await site({ n1: {} });
    const stranger = await makeUser(service(), `stranger${count}`);
    for (const client of [stranger, service().anonymous]) {
      expect(await refusal(claim({ count: 1 }, client))).toBe('401 AuthorizationError');
    }
    expect(await refusal(claim({ count: 1 }, service().admin, 'nowhere'))).toBe('404 NotFoundError');
  });
});
