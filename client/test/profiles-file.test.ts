import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { profilesFile } from '../src/cli/profiles.ts';

const usual = join(homedir(), '.config', 'corral', 'client.json');

it.each([
  [{}, usual],
  [{ XDG_CONFIG_HOME: '', CORRAL_CLIENT_CONFIG: '' }, usual],
  [{ XDG_CONFIG_HOME: '/xdg' }, '/xdg/corral/client.json'],
  [{ XDG_CONFIG_HOME: '/xdg', CORRAL_CLIENT_CONFIG: '/mine.json' }, '/mine.json'],
])('with %j the file of profiles is %s', (env, file) => {
  expect(profilesFile(env)).toBe(file);
});
