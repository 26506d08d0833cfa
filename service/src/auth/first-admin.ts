import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { hashPassword } from '../core/password-hash.ts';
import type { RequestContext } from '../core/request-context.ts';
import type { FirstPassword } from '../core/dependencies.ts';

const adminName = 'admin';
const longestFile = 1024;

/** How the first administrator came to be. */
export type FirstAdmin =
  /** `file`: where its first password still lies. */
  | { readonly kind: 'exists'; readonly file: string | null }
  | { readonly kind: 'given' }
  | { readonly kind: 'generated'; readonly password: string; readonly file: string };

/** On an empty database: user `admin`, with the operator's password or one made here and kept in a file. */
export const ensureFirstAdmin = async (
  context: RequestContext,
  given: string | null,
  file: string,
): Promise<FirstAdmin> => {
  const isEmpty = () =>
    context.read(async ({ tx }) => !(await tx.selectFrom('users').select('id').limit(1).executeTakeFirst()));
  const exists = (): FirstAdmin => ({ kind: 'exists', file: existsSync(file) ? file : null });
  if (!(await isEmpty())) return exists();
  const password = given ?? randomBytes(18).toString('base64url');
  const password_hash = await hashPassword(password);
  const isMade = await context.write(async (op) => {
    if (await op.tx.selectFrom('users').select('id').limit(1).executeTakeFirst()) return false;
    await op.tx.insertInto('users').values({ label: adminName, password_hash, is_admin: 1 }).execute();
    op.record({ type: 'user_create', user: adminName, detail: { is_admin: true } });
    op.notify('users');
    // Before the commit: a crash in between leaves a password without an administrator, never the reverse.
    if (given === null) keep(file, password);
    return true;
  });
  if (!isMade) return exists();
  return given === null ? { kind: 'generated', password, file } : { kind: 'given' };
};

/** The file that the first password is kept in. It goes when the password is no longer that one. */
export const firstPasswordIn = (
  file: string,
  cannotRemove: (error: unknown) => void,
): FirstPassword & { readonly file: string } => ({
  file,
  forget: async (wasPassword) => {
    try {
      const text = contentOf(file);
      if (text !== null && (await wasPassword(text))) rmSync(file, { force: true });
    } catch (error) {
      // The password is changed all the same.
      cannotRemove(error);
    }
  },
});

/** What a plain file holds in its one line; null: it is not there, or not what we wrote. */
const contentOf = (file: string): string | null => {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > longestFile) return null;
  return readFileSync(file, 'utf8').trimEnd();
};

/** In a new file, because an old one would keep its permissions. */
const keep = (file: string, password: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  rmSync(file, { force: true });
  writeFileSync(file, `${password}\n`, { mode: 0o600, flag: 'wx' });
};
