import type { CallerName } from './authorization-callers.ts';
import { basic, type Client, clientOf } from '../http/http-client.ts';
import type { Service } from '../services/service.ts';
import { makeUser } from '../services/world.ts';

/** Where callers are known from. The projects exist when it is asked for its callers. */
export interface Source {
  /** Settings of the service that takes their credentials. */
  readonly env: Readonly<Record<string, string>>;
  /** What the two projects are called there. */
  readonly red: string;
  readonly blue: string;
  callers(service: Service): Promise<Readonly<Record<Exclude<CallerName, 'anonymous'>, Client>>>;
}

/** Users of the database, by HTTP Basic. */
export const basicSource: Source = {
  env: {},
  red: 'red',
  blue: 'blue',
  callers: async (service) => ({
    'wrong password': clientOf(service.url, basic('admin', 'wrong')),
    outsider: await makeUser(service, 'outsider'),
    member: await makeUser(service, 'member', 'red'),
    other: await makeUser(service, 'other', 'blue'),
    admin: service.admin,
  }),
};
