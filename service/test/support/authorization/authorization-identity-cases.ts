import { admin, type Cases, everyone, named, nothing, users } from './authorization-case.ts';
import type { Rig } from './authorization-rig.ts';
import { signIn } from '../identity/browser.ts';
import { passwordOf } from '../services/service.ts';
import { done } from '../services/world.ts';

export const sessionOf = async (rig: Rig, user: string): Promise<string> => {
  const browser = await signIn(rig.service, user);
  const { body } = await done(browser.get('/auth/sessions'));
  return (body as { session: string }[])[0]?.session ?? '';
};

/** Sessions and tokens. What one may do with one's own, and with what, is tried in made-here.test.ts. */
export const identityCases: Cases = {
  session_open: [
    {
      when: 'from a page of the service',
      given: async (rig) => {
        const username = await rig.user();
        return { body: { username, password: passwordOf(username) }, headers: { origin: rig.service.url } };
      },
      // Whatever credentials they bring are not looked at.
      letIn: [...everyone, 'wrong password'],
    },
    {
      when: 'from anywhere else',
      given: async (rig) => {
        const username = await rig.user();
        return { body: { username, password: passwordOf(username) } };
      },
      letIn: [],
    },
  ],
  show_auth_methods: [{ given: nothing, letIn: [...everyone, 'wrong password'] }],
  show_session: [{ given: nothing, letIn: everyone }],
  // Whoever is let in is told that there is no session in what they sent.
  session_close: [{ given: nothing, letIn: users, status: 409 }],
  whoami: [{ given: nothing, letIn: users }],
  list_sessions: [
    { given: nothing, letIn: users },
    { when: 'of somebody', given: async (rig) => ({ query: `?user=${await rig.user()}` }), letIn: admin },
  ],
  session_end: [
    { given: async (rig) => named({ session: await sessionOf(rig, await rig.user()) }), letIn: admin },
    { when: 'that is not there', given: () => named({ session: 'none' }), letIn: users, status: 404 },
  ],
  token_create: [{ given: (rig) => named({ token: rig.fresh('token') }, {}), letIn: users }],
  list_tokens: [
    { given: nothing, letIn: users },
    { when: 'of somebody', given: async (rig) => ({ query: `?user=${await rig.user()}` }), letIn: admin },
  ],
  token_revoke: [
    {
      when: 'of somebody',
      given: async (rig) => {
        const user = await rig.user();
        await done(rig.service.as(user).put('/auth/token/ci', {}));
        return { params: { token: 'ci' }, query: `?user=${user}` };
      },
      letIn: admin,
    },
    { when: 'that is not there', given: () => named({ token: 'none' }), letIn: users, status: 404 },
  ],
};
