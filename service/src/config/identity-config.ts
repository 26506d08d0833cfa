import type { SettingReader } from '@corral/base/config/setting-reader';
import type { Settings, ValuesOf } from '@corral/base/config/setting';
import { whole } from '@corral/base/config/value-types';

const day = 86_400;
/** A session is seen once a minute at most, so that one who never rests must not seem idle. */
const leastIdle = 120;

/** How long sessions of browsers and API tokens last. */
export const identitySettings = {
  'sessions.lifetime': {
    takes: whole(60, 400 * day, 1000),
    fallback: '43200',
    about: 'How long the [session](auth/README.md#sessions) of a browser lasts: whole seconds, 60 to 34560000.',
  },
  'sessions.idle': {
    takes: whole(leastIdle, 400 * day, 1000),
    fallback: '7200',
    about: 'How long it lasts without a request: whole seconds, 120 to 34560000.',
  },
  'tokens.longest': {
    takes: whole(60, 3660 * day, 1000),
    fallback: '31622400',
    about: 'How long an [API token](auth/README.md#tokens) may last at most: whole seconds, 60 to 316224000.',
  },
  'tokens.default': {
    takes: whole(60, 3660 * day, 1000),
    fallback: '7776000',
    about: 'How long a token lasts whose maker does not say; no longer than `tokens.longest`.',
  },
  'tokens.vouched': {
    takes: whole(60, 366 * day, 1000),
    fallback: '86400',
    about:
      'How long sessions and tokens of people of `keystone`, `oidc` or an extension count after that backend last vouched for them: whole seconds, 60 to 31622400.',
  },
} as const satisfies Settings;

/** In milliseconds. */
export interface IdentityConfig {
  readonly sessionLifetimeMs: number;
  readonly sessionIdleMs: number;
  readonly tokenLongestMs: number;
  readonly tokenDefaultMs: number;
  readonly vouchedMs: number;
}

/** Reads how long sessions and tokens last. */
export const identityConfig = (
  read: SettingReader<ValuesOf<typeof identitySettings>>,
  mistakes: string[],
): IdentityConfig => {
  const before = mistakes.length;
  const config = {
    sessionLifetimeMs: read.value('sessions.lifetime'),
    sessionIdleMs: read.value('sessions.idle'),
    tokenLongestMs: read.value('tokens.longest'),
    tokenDefaultMs: read.value('tokens.default'),
    vouchedMs: read.value('tokens.vouched'),
  };
  if (mistakes.length === before && config.tokenDefaultMs > config.tokenLongestMs) {
    mistakes.push('tokens.default: exceeds tokens.longest');
  }
  return config;
};
