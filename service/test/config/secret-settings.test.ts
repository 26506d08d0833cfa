import { type Settings, variableOf } from '@corral/base/config/setting';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-service-config.ts';
import { settings } from '../../src/config/service-settings.ts';
import { Canaries } from '../support/secret-leaks/canary-secrets.ts';
import { startService } from '../support/services/service.ts';

const all: Settings = settings;
const secretSettings = Object.entries(all).filter(([, { takes }]) => takes.isSecret);

describe('a secret in a setting', () => {
  const tell = (error: unknown): string => {
    const { message, stack = '', mistakes = [] } = error as Error & { mistakes?: readonly string[] };
    return [message, stack, ...mistakes].join('\n');
  };

  it.each(secretSettings)('%s is not revealed when it is invalid', (key, setting) => {
    const canaries = new Canaries();
    const variable = variableOf(key, setting);
    for (const bad of [
      canaries.make('long').repeat(100),
      `postgres://u:${canaries.make('URL')}@[`,
      `${canaries.make('odd')}:\0`,
    ]) {
      try {
        loadConfig({
          [variable]: bad,
          CORRAL_AUTH: 'database, keystone, oidc',
          CORRAL_OBMD: '127.0.0.1:0',
          CORRAL_PORT: 'x',
        });
        expect.unreachable('the port is wrong');
      } catch (error) {
        expect(tell(error)).toContain('CORRAL_PORT');
        expect(canaries.seenIn(key, tell(error))).toEqual([]);
      }
    }
  });

  it('database_url is not revealed when the database cannot be reached', async () => {
    const canaries = new Canaries();
    const url = `postgres://corral:${encodeURIComponent(canaries.make('password'))}@127.0.0.1:1/corral`;
    const failure = await startService('sqlite', { CORRAL_DATABASE_URL: url }).catch((error: unknown) => error);
    expect(tell(failure)).toContain('ECONNREFUSED');
    expect(canaries.seenIn('failure', tell(failure))).toEqual([]);
  });
});
