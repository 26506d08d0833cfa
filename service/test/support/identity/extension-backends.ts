import { fileURLToPath } from 'node:url';
import type { AuthBackend } from '../../../src/auth/auth-contract.ts';
import type { Caller } from '../../../src/core/caller.ts';

/*
 * Two backends as extensions bring them: `people` vouches for whoever says so, `guests` too, but cannot say later who
 * they were. Both take `Authorization: <scheme> <name> <project,project>`, with `*` among the projects for an admin.
 * `people` also takes when it is that they said so, in milliseconds, as a last word.
 */

/** The settings of a service with both of them. */
export const withExtensionBackends = {
  CORRAL_EXTENSIONS: fileURLToPath(import.meta.url),
  CORRAL_AUTH: 'database, people, guests',
};

const callerIn = (scheme: string, header: string | undefined): Extract<Caller, { kind: 'user' }> | null => {
  const [given, name = '', projects = ''] = (header ?? '').split(' ');
  if (given !== scheme) return null;
  const labels = projects.split(',').filter((label) => label !== '' && label !== '*');
  return { kind: 'user', name, admin: projects.includes('*'), projects: new Set(labels) };
};

const people: AuthBackend = {
  name: 'people',
  challenge: 'People realm="corral"',
  authenticate: (credentials) => {
    const caller = callerIn('People', credentials.header('authorization'));
    if (caller === null) return null;
    const vouchedAt = credentials.header('authorization')?.split(' ')[3];
    const account = { kind: 'identity', backend: 'people', subject: `subject of ${caller.name}` } as const;
    return { ...caller, account: vouchedAt === undefined ? account : { ...account, vouchedAt: Number(vouchedAt) } };
  },
};

const guests: AuthBackend = {
  name: 'guests',
  challenge: 'Guests realm="corral"',
  authenticate: (credentials) => callerIn('Guests', credentials.header('authorization')),
};

/** @public The service takes it from the module that the setting names. */
export const auth = { people, guests };
