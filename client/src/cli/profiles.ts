import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { pause } from '../pause.ts';
import { UsageError } from './usage-error.ts';
import { unreadable } from './read-error.ts';

/** The environment as far as we read it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a service is and who calls it, under a name. */
export interface Profile {
  readonly endpoint: string;
  readonly username?: string;
  /** An API token; the file is its owner's alone. */
  readonly token?: string;
  /** What the token is called at the service, if we made it. */
  readonly tokenName?: string;
}

interface Profiles {
  readonly current: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** The file of profiles: `CORRAL_CLIENT_CONFIG`, or below the user's directory for configuration. */
export const profilesFile = (env: Environment): string =>
  given(env, 'CORRAL_CLIENT_CONFIG') ??
  join(given(env, 'XDG_CONFIG_HOME') ?? join(home(), '.config'), 'corral', 'client.json');

/** What is set to nothing is not set. */
const given = (env: Environment, name: string): string | undefined => (env[name] === '' ? undefined : env[name]);

/** A user who is only a number, as in many containers, has none. */
const home = (): string => {
  try {
    return homedir();
  } catch {
    throw new UsageError('there is no home directory for the profile file; set CORRAL_CLIENT_CONFIG to its path');
  }
};

const nothing: Profiles = { current: null, profiles: {} };

/** All profiles; none if there is no file. */
export const readProfiles = async (file: string): Promise<Profiles> => {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return nothing;
    throw new UsageError(unreadable(file, error));
  }
  try {
    return checked(JSON.parse(text) as unknown);
  } catch {
    throw new UsageError(
      `${file} is not a profile file that \`corral login\` wrote; fix it, or delete it and log in again`,
    );
  }
};

const checked = (value: unknown): Profiles => {
  const { current, profiles } = value as { readonly current?: unknown; readonly profiles?: unknown };
  const all = Object.entries(profiles as Record<string, Partial<Record<string, unknown>>>).map(([name, profile]) => {
    const { endpoint, username, token, tokenName } = profile;
    if (typeof endpoint !== 'string') throw new Error('no endpoint');
    return [
      name,
      {
        endpoint,
        ...(typeof username === 'string' ? { username } : {}),
        ...(typeof token === 'string' ? { token } : {}),
        ...(typeof tokenName === 'string' ? { tokenName } : {}),
      },
    ] as const;
  });
  return { current: typeof current === 'string' ? current : null, profiles: Object.fromEntries(all) };
};

/** Keeps a profile and makes it the current one; answers with the one in whose place it is. */
export const keepProfile = async (file: string, name: string, profile: Profile): Promise<Profile | undefined> => {
  const { profiles } = await change(file, (known) => ({
    current: name,
    profiles: { ...known.profiles, [name]: profile },
  }));
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
};

/** Makes a profile the current one. */
export const useProfile = async (file: string, name: string): Promise<Profile> => {
  const known = await change(file, (profiles) => {
    profileNamed(file, profiles, name);
    return { ...profiles, current: name };
  });
  return profileNamed(file, known, name);
};

/** The profile of this name, or a refusal that says which there are. */
export const profileNamed = (file: string, { profiles }: Profiles, name: string): Profile => {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile) return profile;
  const known = Object.keys(profiles).join(', ') || 'none yet';
  throw new UsageError(
    `profile ${name} does not exist in ${file} (known: ${known}); create it with corral login --profile ${name}`,
  );
};

/** Forgets a profile. */
export const forgetProfile = async (file: string, name: string): Promise<void> => {
  await change(file, ({ current, profiles }) => {
    const rest = Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name));
    return { current: current === name ? (Object.keys(rest)[0] ?? null) : current, profiles: rest };
  });
};

/** Changes the file and answers with what it held. Written beside and moved, so that a crash leaves the old file whole. */
const change = async (file: string, next: (known: Profiles) => Profiles): Promise<Profiles> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  return alone(`${file}.lock`, async () => {
    const known = await readProfiles(file);
    const draft = `${file}.${randomUUID()}`;
    try {
      await writeFile(draft, `${JSON.stringify(next(known), null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      await rename(draft, file);
    } finally {
      await rm(draft, { force: true });
    }
    return known;
  });
};

const lockTries = 250;
const lockPauseMs = 20;

/** One process at a time. */
const alone = async <T>(lock: string, work: () => Promise<T>): Promise<T> => {
  for (let tries = 1; !(await take(lock)); tries += 1) {
    if (tries === lockTries) {
      throw new UsageError(`another corral process holds the lock on the profiles; if none is running, delete ${lock}`);
    }
    await pause(lockPauseMs, undefined);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
};

/** Takes it, unless somebody else has it. */
const take = async (lock: string): Promise<boolean> => {
  try {
    await writeFile(lock, '', { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};
