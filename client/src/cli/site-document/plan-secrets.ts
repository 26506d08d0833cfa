import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Environment } from '../profiles.ts';
import { unreadable } from '../read-error.ts';
import type { SitePlan } from './site-plan.ts';
import type { Secret } from './desired-state.ts';

/** Fetches the secrets that a plan needs, and no others. Files are named from where the document is. */
export const readSecrets = async (
  plan: SitePlan,
  file: string,
  env: Environment,
): Promise<(secret: Secret) => string> => {
  const known = new Map<string, string>();
  const needed = new Map(plan.stages.flat().flatMap(({ secrets }) => secrets.map((one) => [keyOf(one), one])));
  for (const [key, secret] of needed) {
    const text = secret.from === 'env' ? env[secret.name] : await readSecret(plan, secret, dirname(file));
    if (text === null) continue;
    if (text) known.set(key, text);
    else plan.mistake(secret, secret.from === 'env' ? `variable ${secret.name} is not set` : `${secret.name} is empty`);
  }
  return (secret) => known.get(keyOf(secret)) ?? '';
};

/** Each mention counts separately, so that each is reported with its own line. */
const keyOf = ({ from, name, path }: Secret): string => JSON.stringify([from, name, path]);

const readSecret = async (plan: SitePlan, secret: Secret, directory: string): Promise<string | null> => {
  try {
    return (await readFile(resolve(directory, secret.name), 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    plan.mistake(secret, unreadable(secret.name, error));
    return null;
  }
};
