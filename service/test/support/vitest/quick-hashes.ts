import type * as Argon2 from '@node-rs/argon2';
import { vi } from 'vitest';

/*
 * Before every test file: passwords are hashed at the least cost that argon2 has. A service hashes twice when it starts
 * and once for every login, 34 ms each at the real cost. What tests start as processes of their own pays the real one.
 * Checks of passwords can be counted.
 */
vi.mock('@node-rs/argon2', async (original) => {
  const argon2 = await original<typeof Argon2>();
  const least = { memoryCost: 8, timeCost: 1, parallelism: 1 };
  return { ...argon2, hash: (password: string) => argon2.hash(password, least), verify: vi.fn(argon2.verify) };
});
