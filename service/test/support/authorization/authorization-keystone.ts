import type { LabKeystone } from '@corral/lab';
import type { Source } from './authorization-sources.ts';
import { keystoneEnv, withToken } from '../identity/shared-keystone.ts';
import { makeProject } from '../services/world.ts';

/** Users of a Keystone, by tokens. An outsider there is one of a third project that is registered here. */
export const keystoneSource = async (keystone: LabKeystone): Promise<Source> => {
  const { api } = keystone;
  const [red, blue, green] = [await api.project('red'), await api.project('blue'), await api.project('green')];
  const tokenFor = async (name: string, role: string, project: string): Promise<string> => {
    const user = await api.user(name);
    await api.assign(user, role, { project });
    return api.token(user, { project });
  };
  const outsider = await tokenFor('outsider', 'member', green);
  const member = await tokenFor('member', 'member', red);
  const other = await tokenFor('other', 'member', blue);
  const admin = await tokenFor('root', 'admin', green);
  return {
    env: keystoneEnv(keystone),
    red,
    blue,
    callers: async (service) => {
      await makeProject(service, green);
      return {
        'wrong password': withToken(service, `${member.slice(0, -8)}tampered`),
        outsider: withToken(service, outsider),
        member: withToken(service, member),
        other: withToken(service, other),
        admin: withToken(service, admin),
      };
    },
  };
};
