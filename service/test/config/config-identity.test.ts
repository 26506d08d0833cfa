import { describe, expect, it } from 'vitest';
import { ConfigError } from '@corral/base/config/config-error';
import { loadConfig } from '../../src/config/load-service-config.ts';

const mistakesIn = (env: Readonly<Record<string, string>>): readonly string[] => {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
};

describe('how long sessions and tokens last', () => {
  it('is given in whole seconds', () => {
    const env = { CORRAL_SESSIONS_LIFETIME: '3600', CORRAL_SESSIONS_IDLE: '120', CORRAL_TOKENS_DEFAULT: '60' };
    expect(loadConfig(env).identity).toMatchObject({
      sessionLifetimeMs: 3_600_000,
      sessionIdleMs: 120_000,
      tokenDefaultMs: 60_000,
    });
  });

  it.each([
    ['CORRAL_SESSIONS_LIFETIME', '59'],
    ['CORRAL_SESSIONS_LIFETIME', 'soon'],
    ['CORRAL_SESSIONS_IDLE', '119'],
    ['CORRAL_TOKENS_LONGEST', '0'],
    ['CORRAL_TOKENS_DEFAULT', '60.5'],
    ['CORRAL_TOKENS_VOUCHED', '-1'],
  ])('%s is not %j', (name, value) => {
    expect(mistakesIn({ [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name}: .*expected a whole number`)),
    ]);
  });

  it('is not longer for a token by default than at most', () => {
    const env = { CORRAL_TOKENS_DEFAULT: '7200', CORRAL_TOKENS_LONGEST: '3600' };
    expect(mistakesIn(env)).toEqual(['tokens.default: exceeds tokens.longest']);
  });
});
