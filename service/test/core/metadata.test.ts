import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { enc, message, oddLabels, refusal, sharedService } from '../support/services/shared-service.ts';
import { done, makeNode, makeProject, makeUser, obmd, reserve } from '../support/services/world.ts';

const values: readonly unknown[] = [
  'text',
  '',
  0,
  -1.5,
  1e300,
  true,
  false,
  null,
  [],
  {},
  [1, 'two', [null, { three: 3 }]],
  { deep: { deeper: ['and', { more: null }] } },
  'ünï \u0000 \u2028 \ud800 🐎',
];

describe.each(engines)('metadata on %s', (engine) => {
  const service = sharedService(engine);
  const metadataOf = async (node: string) =>
    ((await done(service().admin.get(`/node/${node}`))).body as { metadata: Record<string, unknown> }).metadata;

  it.each(values)('the value %j comes back as it went in', async (value) => {
    await service().admin.put('/node/values', { obmd });
    const answer = await service().admin.put('/node/values/metadata/label', { value });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect((await metadataOf('values'))['label']).toEqual(value);
  });

  it('values given at registration come back as they went in', async () => {
    const metadata = Object.fromEntries(values.map((value, index) => [`label ${index}`, value]));
    await done(service().admin.put('/node/registered', { obmd, metadata }));
    expect(await metadataOf('registered')).toEqual(metadata);
  });

  it.each([
    ['a number beyond all numbers', '1e999', 'too large'],
    ['one deep inside', '{"a": [-1e999]}', 'too large'],
    ['101 levels', '['.repeat(101) + ']'.repeat(101), 'nested too deeply'],
    ['9,000 levels', '['.repeat(9_000) + ']'.repeat(9_000), 'nested too deeply'],
  ])('what could not come back as it went in is refused: %s', async (_what, value, words) => {
    const { admin } = service();
    await admin.put('/node/lossless', { obmd });
    const calls = [
      admin.send('PUT', '/node/lossless/metadata/label', { body: `{"value": ${value}}` }),
      admin.send('PUT', '/node/lossy', { body: `{"obmd": ${JSON.stringify(obmd)}, "metadata": {"label": ${value}}}` }),
    ];
    for (const call of calls) {
      expect(await refusal(call)).toBe('400 BadArgumentError');
      expect(await message(call)).toMatch(new RegExp(`metadata label .*${words}; expected`));
    }
    expect(await metadataOf('lossless')).toEqual({});
  });

  it('a hundred levels are not too many', async () => {
    await makeNode(service(), 'deep');
    const value = JSON.parse('['.repeat(100) + ']'.repeat(100)) as unknown;
    await done(service().admin.put('/node/deep/metadata/label', { value }));
    expect(await metadataOf('deep')).toEqual({ label: value });
  });

  it('node_set_metadata adds a label or replaces its value, and leaves the others', async () => {
    await done(service().admin.put('/node/changing', { obmd, metadata: { rack: '1', row: 'a' } }));
    await done(service().admin.put('/node/changing/metadata/rack', { value: '2' }));
    await done(service().admin.put('/node/changing/metadata/cpu', { value: 'fast' }));
    expect(await metadataOf('changing')).toEqual({ rack: '2', row: 'a', cpu: 'fast' });
  });

  it('changes made at the same time are all kept', async () => {
    await makeNode(service(), 'busy');
    const labels = Array.from({ length: 12 }, (_, index) => `label${index}`);
    await Promise.all(
      labels.map((label) => done(service().admin.put(`/node/busy/metadata/${label}`, { value: label }))),
    );
    expect(await metadataOf('busy')).toEqual(Object.fromEntries(labels.map((label) => [label, label])));
  });

  it('node_delete_metadata removes a label, and says nothing', async () => {
    await done(service().admin.put('/node/forgetful', { obmd, metadata: { rack: '1', row: null } }));
    const answer = await service().admin.del('/node/forgetful/metadata/row');
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await metadataOf('forgetful')).toEqual({ rack: '1' });
  });

  it('a label that is not there cannot be deleted', async () => {
    await makeNode(service(), 'empty');
    for (const label of ['missing', '__proto__', 'constructor']) {
      expect(await refusal(service().admin.del(`/node/empty/metadata/${label}`))).toBe('404 NotFoundError');
    }
  });

  it('metadata needs a node', async () => {
    expect(await refusal(service().admin.put('/node/missing/metadata/a', { value: 1 }))).toBe('404 NotFoundError');
    expect(await refusal(service().admin.del('/node/missing/metadata/a'))).toBe('404 NotFoundError');
  });

  it('a value is needed, and nothing else is taken', async () => {
    await makeNode(service(), 'strict');
    const missing = service().admin.put('/node/strict/metadata/a', {});
    expect(await refusal(missing)).toBe('400 ValidationError');
    expect(await message(missing)).toContain('"value" is missing; expected any JSON value');
    const more = service().admin.put('/node/strict/metadata/a', { value: 1, other: 2 });
    expect(await message(more)).toContain('"other" is unknown');
  });

  it.each(oddLabels)('a label may be $what', async ({ label }) => {
    await service().admin.put('/node/odd', { obmd });
    await done(service().admin.put(`/node/odd/metadata/${enc(label)}`, { value: label }));
    expect((await service().admin.get('/node/odd')).text).toContain(
      `${JSON.stringify(label)}:${JSON.stringify(label)}`,
    );
    await done(service().admin.del(`/node/odd/metadata/${enc(label)}`));
    expect(Object.keys(await metadataOf('odd'))).toEqual([]);
  });

  it.each(['', ' a', 'a ', 'a/b', 'a\nb', 'a\u0085b', 'x'.repeat(256), '\ud800'])(
    'a label at registration follows the rule for labels: not %j',
    async (label) => {
      const answer = service().admin.put('/node/refused', { obmd, metadata: { [label]: 1 } });
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toMatch(/"metadata.*1 to 255 characters/s);
    },
  );

  it('metadata is shown to all who may see the node', async () => {
    await done(service().admin.put('/node/open', { obmd, metadata: { rack: '1' } }));
    expect((await service().anonymous.get('/node/open')).body).toMatchObject({ metadata: { rack: '1' } });
  });

  it('metadata is changed by administrators only, not by the project of the node', async () => {
    await makeProject(service(), 'red');
    const member = await makeUser(service(), 'member', 'red');
    await makeNode(service(), 'owned');
    await reserve(service(), 'red', 'owned');
    for (const client of [member, service().anonymous]) {
      for (const node of ['owned', 'missing']) {
        expect(await refusal(client.put(`/node/${node}/metadata/a`, {}))).toBe('401 AuthorizationError');
        expect(await refusal(client.del(`/node/${node}/metadata/a`))).toBe('401 AuthorizationError');
      }
    }
    await done(service().admin.put('/node/owned/metadata/a', { value: 1 }));
    expect((await member.get('/node/owned')).body).toMatchObject({ metadata: { a: 1 } });
  });
});
