import { describe, expect, it } from 'vitest';
import {
  describedToken,
  type Reaction,
  startScriptedKeystone,
} from '../../service/test/support/identity/scripted-keystone.ts';
import { keystoneEnv } from '../../service/test/support/identity/shared-keystone.ts';
import { type EngineName, engines } from '../../service/test/support/services/engines.ts';
import { serviceForTest } from '../../service/test/support/services/service.ts';
import { makeProject } from '../../service/test/support/services/world.ts';
import { shellForTest } from './support/shell.ts';

const described = (changes: object): Reaction => ({ status: 200, body: { token: describedToken(changes) } });
const unknownToken: Reaction = { status: 404, body: { error: { code: 404, message: 'what?', title: 'Not Found' } } };
const unknown: Reaction = { status: 401, body: { error: { code: 401, message: 'who?', title: 'Unauthorized' } } };

/** A service that asks a Keystone, and a shell with the variables of that Keystone. */
const site = async (engine: EngineName, settings: 'with Keystone' | 'without Keystone' = 'with Keystone') => {
  const keystone = await startScriptedKeystone();
  const service = await serviceForTest(engine, settings === 'with Keystone' ? keystoneEnv(keystone) : {});
  await makeProject(service, 'red');
  const env = {
    CORRAL_ENDPOINT: service.url,
    OS_AUTH_URL: keystone.url,
    OS_USERNAME: 'alice',
    OS_PASSWORD: 'open sesame',
    OS_PROJECT_NAME: 'Red',
  };
  /** The sentence and the hint of a command that is refused. */
  const refused = async (line: string, changes: Readonly<Record<string, string>> = {}) => {
    const shell = await shellForTest({ ...env, ...changes });
    const { code, err } = await shell(line);
    expect({ line, code }).toEqual({ line, code: 1 });
    const [message = '', hint = ''] = err.trimEnd().split('\n');
    return { message, hint };
  };
  return { keystone, service, refused };
};

describe.each(engines)('hints for credentials of Keystone, on %s', (engine) => {
  it('that the service does not take: which variable chose them, and how to log in', async () => {
    const { service, refused } = await site(engine, 'without Keystone');
    expect(await refused('project node list red')).toEqual({
      message: 'corral: the service does not accept such credentials',
      hint: `${service.url} accepts no credentials of Keystone, which OS_AUTH_URL chooses; unset OS_AUTH_URL and log in: corral login ${service.url}`,
    });
  });

  it('of another Keystone: the one that the service asks', async () => {
    const { service, keystone, refused } = await site(engine);
    const other = await startScriptedKeystone();
    keystone.describe = () => unknownToken;
    expect((await refused('project node list red', { OS_AUTH_URL: other.url })).hint).toBe(
      `${service.url} asks the Keystone at ${keystone.url}, and OS_AUTH_URL is ${other.url}; if these are not the same Keystone, set OS_AUTH_URL=${keystone.url}`,
    );
    // The same one, whether with or without the version.
    expect((await refused('project node list red', { OS_AUTH_URL: keystone.url.replace('/v3', '/') })).hint).toBe('');
  });

  it('that Keystone itself refuses: the variables to check', async () => {
    const { keystone, refused } = await site(engine);
    keystone.logIn = () => unknown;
    const { message, hint } = await refused('project node list red');
    expect(message).toContain(`Keystone at ${keystone.url} refuses user alice`);
    expect(hint).toBe(
      'check OS_USERNAME, OS_PASSWORD and OS_USER_DOMAIN_NAME, and the project: OS_PROJECT_NAME with OS_PROJECT_DOMAIN_NAME, or OS_PROJECT_ID',
    );
    expect((await refused('project node list red', { OS_PROJECT_NAME: '' })).hint).toBe(
      'check OS_USERNAME, OS_PASSWORD and OS_USER_DOMAIN_NAME',
    );
  });

  it('without a project, and of one that is not registered', async () => {
    const { keystone, refused } = await site(engine);
    keystone.describe = () => described({ project: undefined, roles: undefined });
    expect(await refused('project node list red')).toEqual({
      message: 'corral: the Keystone token is not scoped to a project; request one that is',
      hint: 'set OS_PROJECT_NAME and OS_PROJECT_DOMAIN_NAME, or OS_PROJECT_ID: what you may do here is what that project may',
    });
    const domain = { id: 'default', name: 'Default' };
    keystone.describe = () => described({ project: { id: 'green', name: 'Green', domain } });
    expect(await refused('project node list red', { OS_USERNAME: 'bob' })).toEqual({
      message:
        'corral: the Keystone project green is not registered here; an administrator can register it with corral project create green',
      hint: '',
    });
  });

  it('for another project: no advice to be added to it', async () => {
    const { service, refused } = await site(engine);
    await makeProject(service, 'blue');
    expect((await refused('project node list blue')).hint).toBe(
      `you are keystone:alice@Default at ${service.url}, in project red: Keystone's token is for that project; for another, set OS_PROJECT_ID=blue`,
    );
  });
});
