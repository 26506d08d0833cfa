import { hasPart, type LabKeystone, startKeystone } from '@corral/lab';
import { afterAll, beforeAll } from 'vitest';
import { type Client, clientWith } from '../http/http-client.ts';

/** One Keystone for a file of tests, because starting takes ten seconds; its tests use names of their own. */
export const sharedKeystone = (): (() => LabKeystone) => {
  let starting: Promise<LabKeystone> | null = null;
  let keystone: LabKeystone | null = null;
  beforeAll(async () => {
    if (!hasPart('Keystone')) return;
    starting = startKeystone();
    keystone = await starting;
  }, 180_000);
  // Also one that took too long to start.
  afterAll(async () => (await starting?.catch(() => null))?.stop());
  return () => {
    if (keystone === null) throw new Error('the Keystone is started before the first test');
    return keystone;
  };
};

/** Settings of a service that takes this Keystone's tokens beside the passwords of its own users. */
export const keystoneEnv = ({
  url,
  service,
}: Pick<LabKeystone, 'url'> & {
  readonly service: Pick<LabKeystone['service'], 'name' | 'password' | 'project'>;
}): Record<string, string> => ({
  CORRAL_AUTH: 'database,keystone',
  CORRAL_KEYSTONE_URL: url,
  CORRAL_KEYSTONE_USERNAME: service.name,
  CORRAL_KEYSTONE_PASSWORD: service.password,
  CORRAL_KEYSTONE_PROJECT: service.project,
  // A machine that is busy with other tests may take its time.
  CORRAL_KEYSTONE_TIMEOUT: '20',
});

/** Calls with a token. */
export const withToken = ({ url }: { readonly url: string }, token: string): Client =>
  clientWith(url, { 'x-auth-token': token });

/** How often Keystone was asked about a token, by how it ended. */
export const validations = async ({ url }: { readonly url: string }, outcome = '\\w+'): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const counts = metrics.matchAll(
    new RegExp(`^corral_keystone_validation_seconds_count\\{outcome="${outcome}"\\} (\\d+)$`, 'gm'),
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
};
