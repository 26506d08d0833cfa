import { allUsage, hoursOf, usageCsv, type UsageKey, usageKeys } from '../../usage-report.ts';
import type { Command } from '../cli-command.ts';
import { field } from '../simple-command.ts';
import { UsageError } from '../usage-error.ts';

const keysIn = (text: string): readonly UsageKey[] =>
  text.split(',').map((word) => {
    const known = usageKeys.find((key) => key === word);
    if (known === undefined)
      throw new UsageError(`usage is not counted by ${word}; expected one or more of ${usageKeys.join(', ')}`);
    return known;
  });

/** `corral usage`: for how long nodes were reserved and on. */
export const usageCommands: readonly Command[] = [
  {
    words: ['usage'],
    about: 'show for how many hours nodes were reserved and turned on; administrators see all projects',
    options: {
      from: { value: 'TIME', about: 'from this time on, such as 2026-01-01; default: this month (UTC)' },
      to: { value: 'TIME', about: 'before this time; default: now' },
      by: { value: 'WHAT', about: 'one or more of project, class, node, month, with commas; default: project' },
      csv: { about: 'as comma-separated values, in seconds' },
    },
    example: 'usage --from 2026-01-01 --by project,class',
    run: async ({ corral, output }, parsed) => {
      const by = keysIn(parsed.option('by') ?? 'project');
      const usage = await allUsage(await corral(), {
        by: by.join(','),
        ...field('from', parsed.option('from')),
        ...field('to', parsed.option('to')),
      });
      if (parsed.flag('csv')) return output.raw(Buffer.from(usageCsv(usage.rows, by)));
      output.table(
        [...by, 'reserved hours', 'powered hours'],
        usage.rows.map((row) => [
          ...by.map((key) => row[key] ?? '-'),
          hoursOf(row.reserved_seconds),
          hoursOf(row.powered_seconds),
        ]),
        usage,
        'no usage',
      );
    },
  },
];
