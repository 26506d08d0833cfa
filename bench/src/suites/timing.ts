import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../statistics.ts';
import { isQuick, say } from '../options.ts';
import type { Figure, Results } from '../report.ts';
import { authorization, call, createInstallation } from '../installation.ts';
import { type Kind, sample } from '../timing/sampler.ts';
import { compare } from '../timing/statistics.ts';

/*
 * Can the time of a refusal tell who exists? Refusals of two kinds, mixed at random, and the chance of telling them
 * apart: one half is a coin.
 */

const rounds = isQuick ? { passwords: 60, tokens: 400 } : { passwords: 1000, tokens: 4000 };
const users = 20;
const tokens = 50;
/** How far from a coin the chance of telling two kinds apart may be. */
const aim = 0.05;

const random = (): string => randomBytes(9).toString('base64url');
const pick = <T>(items: readonly T[]): T => {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

const basic = (name: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${name}:${random()}`).toString('base64')}`,
});
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

const figure = (what: string, times: ReadonlyMap<string, number[]>, one: string, other: string): Figure => {
  const [first, second] = [times.get(one) ?? [], times.get(other) ?? []];
  const { chance, p, overlap } = compare(first, second);
  // A short run cannot tell less than what chance alone does to so few.
  const within = Math.max(aim, 3 * Math.sqrt((first.length + second.length + 1) / (12 * first.length * second.length)));
  return {
    what: `${what}: ${one} beside ${other}`,
    measured: median(first),
    unit: 'ms',
    beside: median(second),
    note: `chance ${chance.toFixed(3)}, p ${p.toFixed(2)}, overlap ${(100 * overlap).toFixed(0)} %`,
    ratio: median(first) / median(second),
    aim: `0.5 ± ${within.toFixed(2)}`,
    isMet: Math.abs(chance - 0.5) <= within,
  };
};

const makeToken = async (url: string, name: string, body: object): Promise<string> =>
  ((await call(url, 'PUT', `/auth/token/${name}`, body)) as { token: string }).token;

const ofPasswords = async (url: string): Promise<Figure[]> => {
  const names = Array.from({ length: users }, () => `user-${random()}`);
  for (const name of names) await call(url, 'PUT', `/auth/basic/user/${name}`, { password: random() });
  const nobody = (): string => `user-${random()}`;
  const path = '/headnode_images/';
  const kinds: Kind[] = [
    { name: 'wrong password', path, make: () => ({ headers: basic(pick(names)) }) },
    { name: 'unknown user', path, make: () => ({ headers: basic(nobody()) }) },
    { name: 'wrong password again', path, make: () => ({ headers: basic(pick(names)) }) },
    { name: 'no user name at all', path, make: () => ({ headers: { authorization: `Basic ${random()}` } }) },
  ];
  const signIn = (name: string, who: () => string): Kind => ({
    name,
    method: 'POST',
    path: '/auth/session',
    make: () => ({ headers: { origin: url }, body: JSON.stringify({ username: who(), password: random() }) }),
  });
  const times = await sample(url, kinds, rounds.passwords);
  const signIns = await sample(
    url,
    [signIn('wrong password', () => pick(names)), signIn('unknown user', nobody)],
    rounds.passwords,
  );
  say(`a header without a user name is refused in ${median(times.get('no user name at all') ?? []).toFixed(2)} ms`);
  return [
    figure('Basic', times, 'unknown user', 'wrong password'),
    figure('the same twice', times, 'wrong password again', 'wrong password'),
    figure('session_open', signIns, 'unknown user', 'wrong password'),
  ];
};

const ofTokens = async (url: string): Promise<Figure[]> => {
  const revoked: string[] = [];
  const expired: string[] = [];
  for (let index = 0; index < tokens; index += 1) {
    revoked.push(await makeToken(url, `revoked-${index}`, {}));
    await call(url, 'DELETE', `/auth/token/revoked-${index}`);
    expired.push(await makeToken(url, `expired-${index}`, { expires_in: 1 }));
  }
  await pause(1500);
  const unknownTokens = revoked.map((token) => `${token.slice(0, -43)}${randomBytes(32).toString('base64url')}`);
  const path = '/headnode_images/';
  const times = await sample(
    url,
    [
      { name: 'unknown', path, make: () => ({ headers: bearer(pick(unknownTokens)) }) },
      { name: 'revoked', path, make: () => ({ headers: bearer(pick(revoked)) }) },
      { name: 'expired', path, make: () => ({ headers: bearer(pick(expired)) }) },
    ],
    rounds.tokens,
  );
  return [figure('tokens', times, 'revoked', 'unknown'), figure('tokens', times, 'expired', 'unknown')];
};

export const measure = async (): Promise<Results> => {
  const installation = await createInstallation({ CORRAL_TRUSTED_PROXIES: 'loopback', CORRAL_LIMITS_RATE: '0' });
  const service = await installation.start();
  try {
    await fetch(`${service.url}/v0/projects`, { headers: { authorization } });
    return { figures: [...(await ofPasswords(service.url)), ...(await ofTokens(service.url))] };
  } finally {
    await service.stop();
    await installation.remove();
  }
};
