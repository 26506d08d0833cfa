import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '../../src/config/config-error.ts';
import { FileVault } from '../../src/secrets/file-vault.ts';
import { newKey } from '../../src/secrets/vault-key.ts';
import {
  formatKeyRing,
  type KeyRing,
  parseKeyRing,
  ringWith,
  withNewKey,
  withoutKeys,
} from '../../src/secrets/key-ring.ts';
import { replaceKeyFile } from '../../src/secrets/replace-key-file.ts';
import { keyIdIn } from '../../src/secrets/sealing.ts';

const fresh = (): KeyRing => ringWith(newKey());
const finished = (ring: KeyRing): KeyRing => withoutKeys(ring, new Set(ring.keys.slice(1).map(({ id }) => id)));

let file: string;
let ring: KeyRing;

beforeEach(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-vault-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  file = join(directory, 'secret.key');
  ring = fresh();
  writeFileSync(file, formatKeyRing(ring), { mode: 0o600 });
});

const vault = (): FileVault => new FileVault(file, 'do something');

/** What it says when it cannot. */
const refusal = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('it was not refused');
};

describe('a vault', () => {
  it('seals with the first key of the file and opens with all', () => {
    const before = vault().seal('old');
    ring = withNewKey(ring, newKey);
    writeFileSync(file, formatKeyRing(ring), { mode: 0o600 });
    const both = vault();
    expect(keyIdIn(both.seal('new'))).toBe(ring.keys[0].id);
    expect(both.open(before)).toBe('old');
  });

  it('seals with a new key as soon as it is in the file', () => {
    const running = vault();
    const before = running.seal('old');
    ring = withNewKey(ring, newKey);
    replaceKeyFile(file, ring);
    expect(keyIdIn(running.seal('new'))).toBe(ring.keys[0].id);
    expect(running.open(before)).toBe('old');
  });

  it('opens what another program sealed with a key that it has not met', () => {
    const running = vault();
    ring = withNewKey(ring, newKey);
    replaceKeyFile(file, ring);
    const sealed = vault().seal('theirs');
    expect(running.open(sealed)).toBe('theirs');
  });

  it('follows a rotation of which it saw neither beginning nor middle', () => {
    const running = vault();
    const before = running.seal('old');
    ring = finished(withNewKey(ring, newKey));
    replaceKeyFile(file, ring);
    expect(ring.keys).toHaveLength(1);
    expect(keyIdIn(running.seal('new'))).toBe(ring.keys[0].id);
    // Read from the database just before it was sealed anew.
    expect(running.open(before)).toBe('old');
    // Whoever starts now never had the old key.
    expect(refusal(() => vault().open(before))).toBe(
      `key_file: a stored secret is sealed with key ${keyIdIn(before) ?? ''}, which ${file} does not contain; add its line to the file`,
    );
  });

  it('follows as many as sixteen rotations that it saw nothing of', () => {
    const [idle, tooIdle] = [vault(), vault()];
    const rotations = (count: number): void => {
      for (let done = 0; done < count; done += 1) ring = finished(withNewKey(ring, newKey));
      replaceKeyFile(file, ring);
    };
    rotations(2);
    expect(keyIdIn(idle.seal('new'))).toBe(ring.keys[0].id);
    rotations(16);
    expect(ring.vouchers).toHaveLength(16);
    expect(keyIdIn(idle.seal('newer'))).toBe(ring.keys[0].id);
    expect(refusal(() => tooIdle.seal('x'))).toContain('was replaced with a file that has another key');
  });

  it('does not follow a chain of vouchers that is broken, or that leads to another key', () => {
    const running = vault();
    const [own, foreign] = [ring, fresh()].map((one) =>
      finished(withNewKey(finished(withNewKey(one, newKey)), newKey)),
    );
    if (own === undefined || foreign === undefined) throw new Error('there are two rings');
    for (const vouchers of [own.vouchers.slice(1), own.vouchers.slice(0, 1)]) {
      replaceKeyFile(file, { ...own, vouchers });
      expect(refusal(() => running.seal('x'))).toContain('was replaced with a file that has another key');
    }
    replaceKeyFile(file, { ...foreign, vouchers: [...own.vouchers, ...foreign.vouchers] });
    expect(refusal(() => running.seal('x'))).toContain('was replaced with a file that has another key');
    replaceKeyFile(file, own);
    expect(keyIdIn(running.seal('x'))).toBe(own.keys[0].id);
  });

  it('does not seal with the key of some other file that was put in the place of its own', () => {
    const running = vault();
    const foreign = fresh();
    replaceKeyFile(file, foreign);
    const told = `key_file: ${file} was replaced with a file that has another key (${foreign.keys[0].id}; it was ${ring.keys[0].id})`;
    expect(refusal(() => running.seal('x'))).toContain(told);
    // Also not with one that another key vouches for.
    replaceKeyFile(file, finished(withNewKey(fresh(), newKey)));
    expect(refusal(() => running.seal('x'))).toContain('was replaced with a file that has another key');
    replaceKeyFile(file, ring);
    expect(running.open(running.seal('x'))).toBe('x');
  });

  it('seals nothing while its file is away or garbled, makes no other, and goes on when it is back', () => {
    const running = vault();
    const before = running.seal('old');
    rmSync(file);
    expect(refusal(() => running.seal('x'))).toBe(
      `key_file: ${file} is missing; secrets cannot be sealed until it is restored from the backup`,
    );
    expect(existsSync(file)).toBe(false);
    expect(running.open(before)).toBe('old');
    writeFileSync(file, 'half a k', { mode: 0o600 });
    expect(refusal(() => running.seal('x'))).toContain(
      'does not contain 32 bytes in base64 in line 1; secrets cannot be',
    );
    writeFileSync(file, formatKeyRing(ring), { mode: 0o600 });
    expect(running.open(running.seal('x'))).toBe('x');
  });

  it('tells a damaged value from one of another key', () => {
    const running = vault();
    const sealed = running.seal('x');
    const damaged = sealed.slice(0, -8) + (sealed.endsWith('AAAAAAA=') ? 'BBBBBBB=' : 'AAAAAAA=');
    expect(() => running.open(damaged)).toThrow(`sealed with key ${ring.keys[0].id}, is damaged`);
  });
});

describe('a key file', () => {
  it('has one key a line; empty lines and spaces around them do not matter', () => {
    const [one, two] = [newKey(), newKey()];
    const text = `\n  ${one.bytes.toString('base64')}\r\n\n# a note\n${two.bytes.toString('base64').replace('=', '')}\n`;
    expect(parseKeyRing(text).keys.map(({ id }) => id)).toEqual([one.id, two.id]);
  });

  it('with anything else in it is refused, with the line', () => {
    const good = newKey().bytes.toString('base64');
    const bad = ['short', `${good} ${good}`, `${good}x`, good.replace(/^./, '!'), 'A'.repeat(88)];
    for (const line of bad) {
      expect(() => parseKeyRing(`${good}\n${line}\n`), line).toThrow('does not contain 32 bytes in base64 in line 2');
    }
    for (const nothing of ['', '\n', '# only a note\n']) expect(() => parseKeyRing(nothing)).toThrow('it is empty');
  });

  it('keeps its mode when it is replaced, and leaves no draft behind', () => {
    for (const mode of [0o600, 0o640]) {
      chmodSync(file, mode);
      replaceKeyFile(file, fresh());
      expect(statSync(file).mode & 0o777).toBe(mode);
    }
    expect(readdirSync(join(file, '..'))).toEqual(['secret.key']);
  });

  it('that is a link stays one: what it leads to is replaced', () => {
    const link = `${file}.link`;
    symlinkSync(file, link);
    const next = fresh();
    replaceKeyFile(link, next);
    expect(readFileSync(file, 'utf8')).toBe(formatKeyRing(next));
  });

  it('that cannot be replaced is left as it is', () => {
    const missing = join(file, 'inside', 'it');
    expect(refusal(() => replaceKeyFile(missing, fresh()))).toMatch(
      /^key_file: .* cannot be replaced \(.+\); run this/,
    );
    const text = readFileSync(file, 'utf8');
    const interrupted = (): void =>
      replaceKeyFile(file, fresh(), () => {
        throw new Error('interrupted');
      });
    expect(interrupted).toThrow('interrupted');
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(join(file, '..'))).toEqual(['secret.key']);
  });
});
