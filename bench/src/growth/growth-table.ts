import type { Growth, GrowthFigure } from './measure-growth.ts';

/** The figures as a table in Markdown: it is read in a terminal, and pasted into docs/scale.md. */
export const growthTable = ({ engine, sizes, figures }: Growth): string => {
  const title = engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  const columns = sizes.map((nodes) => nodes.toLocaleString('en'));
  const rows = [
    [
      `${title}, processor time or as named`,
      '',
      ...columns,
      'ratio',
      'aim',
      '',
      ...columns.map((size) => `p50, ${size}`),
    ],
    ...figures.map((figure) => rowOf(sizes, figure)),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lineOf = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [head = [], ...rest] = rows;
  return [lineOf(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest.map(lineOf)].join('\n');
};

const rowOf = (sizes: readonly number[], { what, unit, values, wallMs, ratio, aim }: GrowthFigure): string[] => [
  what,
  unit,
  ...sizes.map((_, index) => (values[index] === undefined ? 'not measured' : shortly(values[index]))),
  ratio.toFixed(2),
  `<= ${aim}`,
  ratio <= aim ? 'met' : 'MISSED',
  ...(wallMs ?? []).map((ms) => `${ms.toFixed(1)} ms`),
];

const shortly = (value: number): string => (value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString('en'));
