import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Throttle } from '../../src/auth/throttle.ts';
import { seed } from '../support/vitest/seed.ts';

const home = '198.51.100.7';
const hourMs = 3_600_000;

/** A throttle under a clock that the test turns; every attempt that is checked is wrong, but the owner's. */
const trial = () => {
  const throttle = new Throttle();
  let now = Date.UTC(2030, 0, 1);
  return {
    throttle,
    pass: (ms: number) => (now += ms),
    guess: (user: string, password: string, address: string) => {
      const attempt = throttle.attempt(user, password, address);
      const verdict = throttle.admit(attempt, 0, now);
      if (verdict.kind === 'check') throttle.failed(attempt, verdict, 0, now);
      if (verdict.kind === 'wait') throttle.distrust(attempt, now);
      return verdict;
    },
    comeRight: (user: string, address: string) => {
      const attempt = throttle.attempt(user, 'right', address);
      const verdict = throttle.admit(attempt, 0, now);
      if (verdict.kind === 'check') throttle.succeeded(attempt, verdict, now);
      return verdict.kind;
    },
  };
};
type Trial = ReturnType<typeof trial>;

/** Guesses by someone who is never tired, comes back the moment he may, and tries a new password each time. */
const guessesIn = (ms: number, { guess, pass }: Trial, name: (count: number) => string, address: string): number => {
  let checked = 0;
  for (let passed = 0, count = 0; passed < ms; count += 1) {
    const verdict = guess(name(count), `guess ${count}`, address);
    if (verdict.kind === 'check') checked += 1;
    const wait = verdict.kind === 'wait' ? verdict.ms : 1;
    pass(wait);
    passed += wait;
  }
  return checked;
};

const steps = (addresses: readonly string[], users: readonly string[]) =>
  fc.array(
    fc.record({
      user: fc.constantFrom(...users),
      address: fc.constantFrom(...addresses),
      password: fc.integer({ min: 0, max: 300 }).map(String),
      ms: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400_000 })),
    }),
    { minLength: 50, maxLength: 400, size: 'max' },
  );
const elsewhere = ['203.0.113.1', '203.0.113.2', '2001:db8::1', '2001:db8:0:1::1'];

describe('the throttle of logins', () => {
  it('of several processes together lets through hardly more than that of one', () => {
    const checkedBy = (processes: number): number => {
      const throttles = Array.from({ length: processes }, () => new Throttle(processes));
      let checked = 0;
      for (let count = 0; count < 40; count += 1) {
        for (const throttle of throttles) {
          const attempt = throttle.attempt('ada', `guess ${count}`, home);
          const verdict = throttle.admit(attempt, 0, 0);
          if (verdict.kind !== 'check') continue;
          throttle.failed(attempt, verdict, 0, 0);
          checked += 1;
        }
      }
      return checked;
    };
    expect(checkedBy(4)).toBeLessThan(2 * checkedBy(1));
  });

  it('never holds up, because of what others do elsewhere, a user who logged in from the same address before', () => {
    const property = fc.property(steps(elsewhere, ['ada', 'bob', 'nobody']), (path) => {
      const { guess, pass, comeRight } = trial();
      expect(comeRight('ada', home)).toBe('check');
      for (const { user, address, password, ms } of path) {
        guess(user, password, address);
        pass(ms);
        expect(comeRight('ada', home)).not.toBe('wait');
      }
    });
    fc.assert(property, { seed, numRuns: 60 });
  });

  it('never holds up the first attempt of a user from an address that has not failed', () => {
    const property = fc.property(steps(elsewhere, ['ada', 'bob', 'nobody']), (path) => {
      const { guess, pass, comeRight } = trial();
      for (const { user, address, password, ms } of path) {
        guess(user, password, address);
        pass(ms);
      }
      expect(comeRight('ada', home)).toBe('check');
    });
    fc.assert(property, { seed, numRuns: 60 });
  });

  it('does not hold up a neighbour behind the same address who came right before', () => {
    const { guess, comeRight } = trial();
    comeRight('ada', home);
    for (let count = 0; count < 300; count += 1) guess(`user ${count}`, 'guess', home);
    expect(guess('someone', 'guess', home).kind).toBe('wait');
    for (let count = 0; count < 90; count += 1) guess('ada', `guess ${count}`, home);
    expect(guess('ada', 'another guess', home).kind).toBe('wait');
    expect(comeRight('ada', home)).toBe('check');
  });

  it('is no way to try passwords at full speed on someone who came right before from the same address', () => {
    const { guess, comeRight } = trial();
    comeRight('ada', home);
    for (let count = 0; count < 200; count += 1) guess('ada', `guess ${count}`, home);
    expect(comeRight('ada', home)).toBe('wait');
    expect(comeRight('ada', '198.51.100.8')).toBe('check');
  });

  it('lets one address try few passwords of one user in an hour, however it goes about it', () => {
    expect(guessesIn(hourMs, trial(), () => 'ada', elsewhere[0] ?? '')).toBeLessThan(40);
    const property = fc.property(steps(['203.0.113.1'], ['ada']), (path) => {
      const { guess, pass } = trial();
      let [passed, checked] = [0, 0];
      for (const { password, ms } of path) {
        if (guess('ada', password, '203.0.113.1').kind === 'check') checked += 1;
        passed += pass(ms) === 0 ? 0 : ms;
        expect(checked).toBeLessThan(15 + 20 * (passed / hourMs + 1));
      }
    });
    fc.assert(property, { seed, numRuns: 60 });
  });

  it('gives many at once no more than one after the other', () => {
    const { throttle } = trial();
    const now = Date.now();
    const verdicts = Array.from({ length: 100 }, (_, count) =>
      throttle.admit(throttle.attempt('ada', `guess ${count}`, home), 0, now),
    );
    expect(verdicts.filter(({ kind }) => kind === 'check')).toHaveLength(5);
  });

  it('lets one address try few passwords in an hour over all users', () => {
    expect(guessesIn(hourMs, trial(), (count) => `user ${count}`, '203.0.113.1')).toBeLessThan(270);
  });

  it('lets many addresses, which each failed before, try few passwords of one user', () => {
    const { guess, pass } = trial();
    const addresses = Array.from({ length: 200 }, (_, index) => `203.0.113.${index}`);
    let checked = 0;
    for (let round = 0; round < 60; round += 1) {
      for (const address of addresses) if (guess('ada', `guess ${round}`, address).kind === 'check') checked += 1;
      pass(60_000);
    }
    // One of each address in a quarter of an hour, and what the user has free.
    expect(checked).toBeLessThan(4 * 200 + 450);
  });

  it.each([
    ['one user', () => 'ada', 520],
    ['all users', (count: number) => `user ${count}`, 1_100],
  ])('lets a /48 of IPv6 with a /64 for every attempt try few passwords of %s', (_whom, name, most) => {
    const { guess, pass } = trial();
    let checked = 0;
    for (let count = 0; count < 18_000; count += 1) {
      const address = `2001:db8:7:${count.toString(16)}::1`;
      if (guess(name(count), `guess ${count}`, address).kind === 'check') checked += 1;
      pass(hourMs / 18_000);
    }
    expect(checked).toBeLessThan(most);
    expect(guess('ada', 'first', '2001:db8:8::1').kind).toBe('check');
  });

  /** So many wrong passwords from all over the world that the user is held up where he failed. */
  const besiege = ({ guess }: Trial): void => {
    for (let count = 0; count < 200; count += 1) guess('ada', 'guess', `203.0.113.${count}`);
    expect(guess('ada', 'another', '203.0.113.1').kind).toBe('wait');
  };

  it('does not hold it against anybody for ever that he failed once', () => {
    const siege = trial();
    siege.guess('ada', 'typo', home);
    besiege(siege);
    expect(siege.comeRight('ada', home)).toBe('wait');
    siege.pass(15 * 60_000);
    besiege(siege);
    expect(siege.comeRight('ada', home)).toBe('check');
  });

  it('does not hold it against anybody that he failed before he came right', () => {
    const siege = trial();
    siege.guess('ada', 'typo', home);
    siege.comeRight('ada', home);
    besiege(siege);
    expect(siege.guess('ada', 'a password that is new', home).kind).toBe('check');
  });

  it('says the same about users who exist and users who do not', () => {
    const property = fc.property(steps([...elsewhere, '127.0.0.1'], ['ada', 'bob']), (path) => {
      const [one, other] = [trial(), trial()];
      const kinds = ({ guess, pass }: Trial, called: (user: string) => string) =>
        path.map(({ user, address, password, ms }) => {
          const { kind } = guess(called(user), password, address);
          pass(ms);
          return kind;
        });
      expect(kinds(one, (user) => user)).toEqual(kinds(other, (user) => `no such user as ${user}`));
    });
    fc.assert(property, { seed, numRuns: 30 });
  });

  it('does not count the same wrong password twice, and looks at it again when users have changed', () => {
    const { throttle, guess } = trial();
    expect(guess('ada', 'old', home).kind).toBe('check');
    for (let count = 0; count < 50; count += 1) expect(guess('ada', 'old', home).kind).toBe('known to be wrong');
    for (let count = 0; count < 4; count += 1) expect(guess('ada', `typo ${count}`, home).kind).toBe('check');
    const { throttle: fresh } = trial();
    const attempt = fresh.attempt('ada', 'old', home);
    fresh.failed(attempt, { isKnown: false }, 0, 0);
    expect(fresh.admit(attempt, 1, 1)).toEqual({ kind: 'check', isCounted: false, isKnown: false });
    expect(throttle.size).toBeGreaterThan(0);
  });

  it('accepts a user on this machine, whatever others have tried', () => {
    const { guess, comeRight } = trial();
    for (let count = 0; count < 200; count += 1) guess('admin', 'guess', `203.0.113.${count}`);
    for (let count = 0; count < 60; count += 1) guess(`user ${count}`, 'guess', '127.0.0.1');
    guess('admin', 'typo', '127.0.0.1');
    expect(comeRight('admin', '127.0.0.1')).toBe('check');
    expect(comeRight('admin', '::1')).toBe('check');
  });

  it('forgets what is long ago, and what was counted when nobody could check it', () => {
    const { guess, pass } = trial();
    for (let count = 0; count < 5; count += 1) guess('ada', `guess ${count}`, home);
    expect(guess('ada', 'sixth', home).kind).toBe('wait');
    pass(15 * 60_000);
    for (let count = 0; count < 4; count += 1) expect(guess('ada', `again ${count}`, home).kind).toBe('check');
    const { throttle } = trial();
    const attempt = throttle.attempt('bob', 'x', home);
    for (let count = 0; count < 50; count += 1) {
      expect(throttle.admit(attempt, 0, 0).kind).toBe('check');
      throttle.abandoned(attempt, 0);
    }
  });

  it('needs no more memory however many names and addresses are tried', { timeout: 60_000 }, () => {
    const { throttle, guess } = trial();
    for (let count = 0; count < 60_000; count += 1) {
      guess(`user ${count}`, 'x'.repeat(100), `10.${count >> 16}.${(count >> 8) & 255}.${count & 255}`);
    }
    expect(throttle.size).toBeLessThanOrEqual(8 * 20_000);
  });
});
