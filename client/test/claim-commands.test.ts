import { describe, expect, it } from 'vitest';
import { engines } from '../../service/test/support/services/engines.ts';
import { passwordOf } from '../../service/test/support/services/service.ts';
import { sharedService } from '../../service/test/support/services/shared-service.ts';
import { done, makeProject, makeUser, obmd, reserve } from '../../service/test/support/services/world.ts';
import { commands } from '../src/cli/commands/all-commands.ts';
import { claimMetadata } from '../src/cli/lists/claim-match.ts';
import { shellForTest } from './support/shell.ts';

describe('what --match says of a claim', () => {
  it.each([
    ['gpus>=4', { gpus: { at_least: 4 } }],
    ['gpus<=4,gpus>1', { gpus: { at_most: 4, more_than: 1 } }],
    ['gpus < 4.5', { gpus: { less_than: 4.5 } }],
    ['rack=r1, ib', { rack: { equals: 'r1' }, ib: { present: true } }],
    ['model!=x', { model: { not_equals: 'x' } }],
    ['__proto__=1', { ['__proto__']: { equals: '1' } }],
  ])('%s', (text, metadata) => {
    expect(Object.entries(claimMetadata(text))).toEqual(Object.entries(metadata));
  });

  it.each([
    ['rack>r1', 'expected a number after >'],
    ['gpus>=1,gpus>=2', 'duplicate condition gpus>='],
    ['gpus>=', 'expected conditions such as'],
    ['', 'expected conditions such as'],
  ])('refuses %j', (text, sentence) => {
    expect(() => claimMetadata(text)).toThrow(sentence);
  });
});

describe.each(engines)('corral claim, on %s', (engine) => {
  const service = sharedService(engine);

  it('reserves by the example in its help, waits, shows, lists and cancels', async () => {
    const { admin } = service();
    await makeProject(service(), 'astronomy');
    await makeProject(service(), 'physics');
    await makeUser(service(), 'ada', 'astronomy');
    for (const [index, gpus] of [4, 8, 4, 4, 2].entries()) {
      const node = `node-${index + 1}`;
      await done(admin.put(`/node/${node}`, { obmd, metadata: { gpus, rack: `r${index % 2}` } }));
    }
    const env = { CORRAL_ENDPOINT: service().url, CORRAL_USERNAME: 'ada', CORRAL_PASSWORD: passwordOf('ada') };
    const shell = await shellForTest(env);
    const example = commands.find(({ words }) => words.join(' ') === 'claim nodes')?.example ?? '';
    expect(await shell(`${example} --dry-run`)).toEqual({
      code: 0,
      out: '4 free nodes fit\nwould be reserved: node-1, node-2, node-3, node-4\n',
      err: '',
    });
    expect((await admin.get('/project/astronomy/nodes')).body).toEqual([]);
    expect(JSON.parse((await shell(`${example} --dry-run --json`)).out)).toMatchObject({ fit: 4, refusal: null });
    expect((await shell(example)).out).toBe('✓ node-1, node-2, node-3, node-4 are reserved for project astronomy\n');
    const refused = await shell(example);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('4 nodes are asked for, and no free node fits; 4 more fit but are not free');
    await reserve(service(), 'physics', 'node-5');
    const waits = await shell("claim nodes astronomy 1 --match 'gpus=2' --pack rack --wait --json");
    const { claim, place } = JSON.parse(waits.out) as { claim: string; place: number };
    expect(place).toBe(1);
    expect((await shell('claim list astronomy')).out).toMatch(
      new RegExp(`^claim +state +place +count +made\\n${claim} +waiting +1 +1 +\\S.*\\n$`),
    );
    const shown = (await shell(`claim show ${claim}`)).out;
    expect(shown).toMatch(/^state +waiting, at place 1 in line$/m);
    expect(shown).toMatch(/^match +\{"metadata":\{"gpus":\{"equals":"2"\}\}\}$/m);
    expect(shown).toMatch(/^prefer +\{"pack":"rack"\}$/m);
    expect((await shell(`claim cancel ${claim}`)).out).toBe(`✓ claim ${claim} is cancelled\n`);
    expect((await shell(`claim show ${claim}`)).out).toMatch(/^state +cancelled$/m);
    expect((await shell(`claim cancel ${claim}`)).code).toBe(1);
  });

  it.each([
    ['claim nodes red many', 'COUNT "many": expected a whole number'],
    ['claim nodes red 1 --nics x', '--nics "x": expected a whole number'],
    ['claim nodes red 1 --spread a --pack b', '--spread and --pack exclude each other'],
    ['claim nodes red 1 --match a>b', 'expected a number after >'],
  ])('%s is a mistake', async (line, sentence) => {
    const shell = await shellForTest({ CORRAL_ENDPOINT: service().url });
    const ran = await shell(line);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(sentence);
  });
});
