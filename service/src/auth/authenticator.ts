import { anonymous, type Caller } from '../core/caller.ts';
import { unauthorized } from '../core/corral-error.ts';
import type { AuthBackend, Credentials } from './auth-contract.ts';

/** All backends of an installation as one: the backend for the kind of credentials checks them, alone. */
export interface Authenticator {
  readonly challenge: string;
  authenticate(credentials: Credentials): Caller | Promise<Caller>;
}

/** The headers that credentials come in. A cookie may also be there for other reasons. */
export const explicitCredentials = ['authorization', 'x-auth-token'] as const;

export const createAuthenticator = (backends: readonly AuthBackend[]): Authenticator => {
  const from = async (credentials: Credentials, first: number, waiting: Promise<Caller | null>): Promise<Caller> =>
    (await waiting) ?? ask(credentials, first);

  const ask = (credentials: Credentials, first: number): Caller | Promise<Caller> => {
    for (let index = first; index < backends.length; index += 1) {
      const answer = backends[index]?.authenticate(credentials) ?? null;
      if (answer instanceof Promise) return from(credentials, index + 1, answer);
      if (answer !== null) return answer;
    }
    const unknown = explicitCredentials.find((name) => credentials.header(name) !== undefined);
    if (unknown === undefined) return anonymous;
    throw unauthorized(`no authentication backend accepts the credentials in header ${unknown}`);
  };

  return {
    challenge: backends.flatMap(({ challenge }) => (challenge === '' ? [] : [challenge])).join(', '),
    authenticate: (credentials) => {
      if (explicitCredentials.every((name) => credentials.header(name) !== undefined)) {
        throw unauthorized(`headers ${explicitCredentials.join(' and ')} both contain credentials; send one of them`);
      }
      return ask(credentials, 0);
    },
  };
};
