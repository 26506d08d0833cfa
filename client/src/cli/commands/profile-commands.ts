import type { Command } from '../cli-command.ts';
import { comesBeforeProfiles } from '../client-from-options.ts';
import { naturalOrder } from '../../natural-order.ts';
import { profilesFile, readProfiles, useProfile } from '../profiles.ts';
import { reportDone } from '../report-done.ts';

/** The services that one has logged in to, and which of them is meant. */
export const profileCommands: readonly Command[] = [
  {
    words: ['profile', 'list'],
    about: 'list your profiles: the services that you logged in to; * is the current one',
    example: 'profile list',
    run: async ({ env, output }) => {
      const { current, profiles } = await readProfiles(profilesFile(env));
      // Without the tokens.
      const known = Object.entries(profiles)
        .map(([name, { endpoint, username }]) => ({ name, endpoint, username: username ?? null }))
        .sort((one, other) => naturalOrder(one.name, other.name))
        .map((profile) => ({ ...profile, current: profile.name === current }));
      const rows = known.map(({ name, endpoint, username, ...profile }) => [
        profile.current ? '*' : '',
        name,
        endpoint,
        username ?? '',
      ]);
      output.table(['', 'profile', 'service', 'user'], rows, known, 'no profiles; corral login ENDPOINT creates one');
    },
  },
  {
    words: ['profile', 'use'],
    about: 'make a profile the current one: commands without --profile go to its service',
    args: [{ name: 'profile', kind: 'profile' }],
    example: 'profile use default',
    run: async ({ env, output }, parsed) => {
      const name = parsed.arg('profile');
      const { endpoint } = await useProfile(profilesFile(env), name);
      const before = comesBeforeProfiles(env);
      if (before.length > 0) output.note(`the environment comes before it, as long as it has ${before.join(', ')}`);
      reportDone(output, `profile ${name} is the current one: ${endpoint}`, { profile: name, endpoint });
    },
  },
];
