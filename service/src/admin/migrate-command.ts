import { newestOf, requireNotNewer } from '@corral/base/db/migrations';
import { openDatabase, describeLocation, versionIn } from '@corral/base/db/open-database';
import type { Command } from './admin-command.ts';
import { programDatabasesOf, titleOf } from './program-databases.ts';
import { heading, lines } from './text-layout.ts';

const named = (version: number): string => (version === 0 ? 'nothing' : `version ${version}`);

export const migrateCommand: Command = {
  usage: '[--dry-run]',
  summary: 'migrates the database to the current version, or creates it',
  help: `The service does this by itself at every start; the other commands never do. Stop the service, and
back up with the program of the old version, before you migrate a database.

  --dry-run  shows what would be done`,
  example: 'corral-admin migrate --dry-run',
  options: { 'dry-run': { type: 'boolean' } },
  operands: 0,
  run: async ({ config: load, terminal, options }) => {
    const config = load();
    const isTrial = options['dry-run'] === true;
    for (const { location, programs } of programDatabasesOf(config, config.database)) {
      for (const program of programs) {
        const from = await versionIn(location, program);
        requireNotNewer(from, program.migrations);
        const newest = newestOf(program.migrations);
        const steps = program.migrations.filter(({ version }) => version > from).map(({ name }) => name);
        if (!isTrial && steps.length > 0) await (await openDatabase(location, program)).close();
        const change = `from ${named(from)} to ${named(newest)} (${steps.join(', ')})`;
        const said = steps.length === 0 ? `is up to date: ${named(from)}` : `${isTrial ? 'would go ' : ''}${change}`;
        terminal.out(lines(`${heading(titleOf(program))}${describeLocation(location)}: ${said}`));
      }
    }
    if (isTrial) terminal.out(lines('', 'Nothing was changed.'));
    return 0;
  },
};
