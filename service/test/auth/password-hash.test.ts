import { expect, it, vi } from 'vitest';
import { hashPassword, passwordFits } from '../../src/core/password-hash.ts';

vi.unmock('@node-rs/argon2');

it('passwords are hashed with argon2id, at the cost that OWASP asks for', async () => {
  const hash = await hashPassword('correct horse');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwordFits(hash, 'correct horse')).toBe(true);
  expect(await passwordFits(hash, 'correct house')).toBe(false);
});
