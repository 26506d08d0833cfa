import { growthTable } from '../growth/growth-table.ts';
import { type Growth, type GrowthFigure, measureGrowth } from '../growth/measure-growth.ts';
import type { Engine } from '../growth/measured-site.ts';
import { isQuick, say } from '../options.ts';
import { increaseFigure, type Results } from '../report.ts';

const sizes = isQuick ? [1_000, 10_000] : [1_000, 10_000, 100_000];
const rounds = isQuick ? 1 : 2;
/** Calls that stand for many others in the plot. */
const drawn = ['showNode', 'projectConnectNode', 'listNodes, free', 'listEvents, the newest'];

/**
 * What every call of the interface costs in sites of 1,000, 10,000 and 100,000 nodes with four nics each and a history:
 * nothing may cost more because the site is larger, and a list only for each item that it has.
 */
const measure = async (engine: Engine): Promise<Results> => {
  const growth = await measureGrowth({ engine, sizes, rounds, say });
  say(`\n${growthTable(growth)}\n`);
  return { figures: growth.figures.map(figureOf(growth)), plots: [plotOf(growth)] };
};

const names = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

const figureOf =
  ({ engine, sizes: measured }: Growth) =>
  ({ what, unit, values, aim }: GrowthFigure) => {
    const [first = Number.NaN] = values;
    const last = values.at(-1) ?? Number.NaN;
    const largest = measured[values.length - 1]?.toLocaleString('en') ?? '';
    return increaseFigure(`${what}, ${names[engine]}, ${largest} against 1,000 nodes`, [last, first], unit, aim);
  };

const plotOf = ({ engine, sizes: measured, figures }: Growth) => ({
  name: `cost-over-size-${engine}`,
  title: `Processor time of a call over the size of the site, ${names[engine]}`,
  x: { label: 'nodes', isLogarithmic: true },
  y: { label: 'µs a call; of lists, an item', isLogarithmic: true },
  series: figures
    .filter(({ what }) => drawn.includes(what))
    .map(({ what, values }) => ({
      name: what,
      points: values.map((value, index) => [measured[index] ?? 0, value] as const),
    })),
});

export const measureSqlite = (): Promise<Results> => measure('sqlite');
export const measurePostgres = (): Promise<Results> => measure('postgres');
