import { describe, expect, it } from 'vitest';
import type { SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { secretsIn } from '../../src/core/switch-secrets.ts';
import { openGuarded } from '../../src/worker/guarded-session.ts';

const secret = 'correct horse';
const fails = () => Promise.reject(new Error(`% Login invalid: ${secret}`));

/** A switch that repeats what it was sent, wherever it has something to say. */
const repeating: SwitchSession = {
  apply: (ports) => Promise.resolve(ports.map(({ port }) => ({ port, applied: false, reason: `no, ${secret}` }))),
  read: (ports) => Promise.resolve(ports.map((port) => ({ port, native: null, tagged: [], unclear: `x ${secret}` }))),
  readAll: () => Promise.resolve([{ port: 'p1', native: null, tagged: [], unclear: `x ${secret}` }]),
  close: () => Promise.resolve(),
};
const failing: Required<Omit<SwitchSession, 'about' | 'lacks' | 'neighbours'>> = {
  ...{ apply: fails, read: fails, readAll: fails, drained: fails, identity: fails, save: fails },
  close: () => Promise.resolve(),
};

/** Logs in with the secret. */
const opened = (open: () => Promise<SwitchSession>) =>
  openGuarded(
    { open },
    { label: 'sw0', config: { password: secret } },
    { held: { confirm: () => Promise.resolve(), lost: new AbortController().signal }, timeoutMs: 5_000 },
  );

describe('a switch that repeats a password', () => {
  const port = { port: 'p1', native: null, tagged: [] };

  it('is reported without it: why it refuses, and what is not understood of a port', async () => {
    const session = await opened(() => Promise.resolve(repeating));
    expect(await session.apply([port])).toEqual([{ port: 'p1', applied: false, reason: 'no, [secret]' }]);
    expect(await session.read(['p1'])).toEqual([{ ...port, unclear: 'x [secret]' }]);
    expect(await session.readAll?.(1)).toEqual([{ ...port, unclear: 'x [secret]' }]);
  });

  it('is reported without it whatever fails', async () => {
    const session = await opened(() => Promise.resolve(failing));
    const calls = [
      () => opened(fails),
      () => session.apply([port]),
      () => session.read(['p1']),
      () => session.readAll?.(1),
      () => session.drained?.(1),
      () => session.identity?.(),
      () => session.save?.(),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow('% Login invalid: [secret]');
  });

  it('has its secrets in every field that may hold one, and in no other', () => {
    const secretFields = { password: 'a', enable_password: 'b', private_key: 'c', api_token: 'd', credential: 'e' };
    expect(secretsIn({ ...secretFields, hostname: 'sw1', port: 22 })).toEqual(Object.values(secretFields));
  });
});
