import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import type { Answer, Client } from '../support/http/http-client.ts';
import { enc, message, refusal, sharedService } from '../support/services/shared-service.ts';
import { done, makeNode, makeProject, obmd } from '../support/services/world.ts';

const mock = { type: 'mock', hostname: 'h', username: 'u', password: 'p' };

/** How an object of each kind comes to be, by its label. */
const kinds: Readonly<Record<string, (admin: Client, label: string) => Promise<Answer>>> = {
  project: (admin, label) => admin.put(`/project/${label}`),
  node: (admin, label) => admin.put(`/node/${label}`, { obmd }),
  nic: (admin, label) => admin.put(`/node/base-node/nic/${label}`, { macaddr: 'a' }),
  label: (admin, label) => admin.put(`/node/base-node/metadata/${label}`, { value: 1 }),
  network: (admin, label) => admin.put(`/network/${label}`, { owner: 'admin', access: '', net_id: '' }),
  headnode: (admin, label) => admin.put(`/headnode/${label}`, { project: 'base-project', base_img: 'base' }),
  hnic: (admin, label) => admin.put(`/headnode/base-headnode/hnic/${label}`),
  switch: (admin, label) => admin.put(`/switch/${label}`, mock),
  username: (admin, label) => admin.put(`/auth/basic/user/${label}`, { password: 'p' }),
};

const refused: readonly (readonly [string, string])[] = [
  ['256 characters', 'x'.repeat(256)],
  ['256 letters of two bytes', 'ß'.repeat(256)],
  ['256 horses', '🐎'.repeat(256)],
  ['4000 characters', 'x'.repeat(4000)],
  ['a space at the beginning', ' a'],
  ['a space at the end', 'a '],
  ['nothing but a space', ' '],
  ['a no-break space at the end', 'a\u00a0'],
  ['an encoded slash', 'a/b'],
  ['nothing but a slash', '/'],
  ['a NUL', 'a\u0000b'],
  ['a tab', 'a\tb'],
  ['a line feed', 'a\nb'],
  ['a line feed at the end', 'a\n'],
  ['a carriage return', 'a\rb'],
  ['an escape', 'a\u001bb'],
  ['a delete', 'a\u007fb'],
  ['a C1 control character', 'a\u0085b'],
  ['a line separator', 'a\u2028b'],
];

describe.each(engines)('labels on %s', (engine) => {
  const service = sharedService(engine);

  const makeBase = async () => {
    await makeProject(service(), 'base-project');
    await makeNode(service(), 'base-node');
    await done(service().admin.put('/headnode/base-headnode', { project: 'base-project', base_img: 'base' }));
  };

  it('may be 1 to 255 characters long, with letters of any language and spaces inside', async () => {
    await makeBase();
    for (const make of Object.values(kinds)) {
      for (const label of ['a', 'two  words', 'ünï', 'x'.repeat(255)]) await done(make(service().admin, enc(label)));
    }
  });

  it('are compared letter by letter: neither case nor accents are folded', async () => {
    for (const label of ['Case', 'case', 'cäse', 'ca\u0308se']) await makeProject(service(), enc(label));
  });

  it.each(refused)('of every kind are refused with %s', async (_what, label) => {
    for (const [kind, make] of Object.entries(kinds)) {
      const answer = make(service().admin, enc(label));
      expect(await refusal(answer), kind).toBe('400 ValidationError');
      expect(await message(answer)).toMatch(new RegExp(`path argument "${kind}".*expected 1 to 255 characters`));
    }
  });

  it.each([...refused, ['nothing in it', ''], ['half a character', '\ud800'], ['the other half', 'a\udc00b']] as const)(
    'in a body are refused with %s',
    async (_what, label) => {
      const { admin } = service();
      const calls: readonly (readonly [string, Promise<Answer>])[] = [
        ['node', admin.post('/project/base-project/connect_node', { node: label })],
        ['project', admin.put('/headnode/h', { project: label, base_img: 'base' })],
        ['project', admin.post('/auth/basic/user/admin/add_project', { project: label })],
        ['network', admin.post('/headnode/base-headnode/hnic/a/connect_network', { network: label })],
        ['network', admin.post('/node/base-node/nic/a/detach_network', { network: label })],
        ['owner', admin.put('/network/n', { owner: label, access: '', net_id: '' })],
      ];
      for (const [field, call] of calls) {
        expect(await refusal(call)).toBe('400 ValidationError');
        expect(await message(call)).toMatch(new RegExp(`field "${field}".*expected`));
      }
    },
  );

  it('that follow the rule and name nothing are a 404 wherever they are looked up', async () => {
    const { admin } = service();
    for (const label of ['missing', '__proto__', 'y'.repeat(255)]) {
      for (const path of ['/node/', '/network/', '/headnode/', '/switch/', '/networking_action/']) {
        expect(await refusal(admin.get(`${path}${label}`))).toBe('404 NotFoundError');
      }
    }
  });

  it.each([
    ['a NUL', '%00'],
    ['an escape', 'a%1bb'],
    ['5000 characters', 'x'.repeat(5000)],
  ])('and whatever else comes are never our fault: %s', async (_what, text) => {
    const { admin } = service();
    const calls = [
      admin.get(`/networking_action/${text}`),
      admin.get(`/node/${text}`),
      admin.get(`/nodes/${text}`),
      admin.get(`/project/${text}/nodes`),
      admin.get(`/switch/sw/port/${text}`),
      admin.get(`/events?node=${text}`),
      admin.put('/headnode/h9', { project: 'base-project', base_img: decodeURIComponent(text) }),
      admin.put('/node/n9', { obmd: { uri: `http://o/${decodeURIComponent(text)}`, admin_token: 't' } }),
      admin.put('/node/base-node/nic/eth9', { macaddr: decodeURIComponent(text) }),
    ];
    for (const call of calls) expect(await refusal(call)).toMatch(/^400 (Validation|BadArgument)Error$/);
  });
});
