import type { SettingReader } from '@corral/base/config/reader';
import type { Setting } from '@corral/base/config/setting';

/** How long sessions of browsers and API tokens last. */
export const identitySettings = [
  {
    key: 'sessions.lifetime',
    env: 'CORRAL_SESSIONS_LIFETIME',
    takes: 'seconds',
    fallback: '43200',
    about: "how long a browser's session lasts",
  },
  {
    key: 'sessions.idle',
    env: 'CORRAL_SESSIONS_IDLE',
    takes: 'seconds',
    fallback: '7200',
    about: 'how long it lasts without a request',
  },
  {
    key: 'tokens.longest',
    env: 'CORRAL_TOKENS_LONGEST',
    takes: 'seconds',
    fallback: '31622400',
    about: 'how long an API token may last at most',
  },
  {
    key: 'tokens.default',
    env: 'CORRAL_TOKENS_DEFAULT',
    takes: 'seconds',
    fallback: '7776000',
    about: 'how long it lasts by default',
  },
  {
    key: 'tokens.vouched',
    env: 'CORRAL_TOKENS_VOUCHED',
    takes: 'seconds',
    fallback: '86400',
    about:
      'how long sessions and tokens of a person of another backend are valid after that backend last confirmed them',
  },
] as const satisfies readonly Setting[];

export type IdentitySettingKey = (typeof identitySettings)[number]['key'];

/** In milliseconds. */
export interface IdentityConfig {
  readonly sessionLifetimeMs: number;
  readonly sessionIdleMs: number;
  readonly tokenLongestMs: number;
  readonly tokenDefaultMs: number;
  readonly vouchedMs: number;
}

const day = 86_400;
/** A session is seen once a minute at most, so that one who never rests must not seem idle. */
const leastIdle = 120;

/** Reads how long sessions and tokens last. */
export const identityConfig = (read: SettingReader<IdentitySettingKey>, mistakes: string[]): IdentityConfig => {
  const before = mistakes.length;
  const seconds = (key: IdentitySettingKey, least: number, most: number): number => 1000 * read.whole(key, least, most);
  const config = {
    sessionLifetimeMs: seconds('sessions.lifetime', 60, 400 * day),
    sessionIdleMs: seconds('sessions.idle', leastIdle, 400 * day),
    tokenLongestMs: seconds('tokens.longest', 60, 3660 * day),
    tokenDefaultMs: seconds('tokens.default', 60, 3660 * day),
    vouchedMs: seconds('tokens.vouched', 60, 366 * day),
  };
  if (mistakes.length === before && config.tokenDefaultMs > config.tokenLongestMs) {
    mistakes.push('tokens.default: exceeds tokens.longest');
  }
  return config;
};
