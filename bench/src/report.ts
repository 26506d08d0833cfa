import type { Rate } from './http-load.ts';
import type { Plot } from './svg-plot.ts';

/** One line of the report: what was measured, beside what, and what was aimed at. */
export interface Figure {
  readonly what: string;
  readonly measured: number;
  readonly unit: string;
  /** What it is compared with, in the same unit; null: it has a limit of its own, or none. */
  readonly beside: number | null;
  /** What else one has to know to read it. */
  readonly note: string;
  readonly ratio: number | null;
  readonly aim: string;
  /** null: nothing is aimed at; it is there to compare with. */
  readonly isMet: boolean | null;
}

/** What a suite found out. */
export interface Results {
  readonly figures: readonly Figure[];
  readonly plots?: readonly Plot[];
}

export const perSecond = (rate: number): string => amount(rate, '/s');

/** How many calls a second, beside the comparator. */
export const throughputFigure = (
  what: string,
  measured: Pick<Rate, 'perSecond'>,
  beside: Pick<Rate, 'perSecond'>,
  aim: number | null,
): Figure => atLeast(what, [measured.perSecond, beside.perSecond], measured.perSecond / beside.perSecond, '/s', aim);

/** The processor time of a call, beside the comparator: a busy machine changes it little. Null: nothing is aimed at. */
export const processorFigure = (
  what: string,
  measured: Pick<Rate, 'cpuUs'>,
  beside: Pick<Rate, 'cpuUs'>,
  aim: number | null,
): Figure => atLeast(what, [measured.cpuUs, beside.cpuUs], beside.cpuUs / measured.cpuUs, 'µs', aim);

/** How much more something takes than something else. Null: nothing is aimed at. */
export const increaseFigure = (
  what: string,
  [measured, beside]: readonly [number, number],
  unit: string,
  aim: number | null,
): Figure => ({
  what,
  measured,
  unit,
  beside,
  note: '',
  ratio: measured / beside,
  aim: aim === null ? '' : `<= ${aim}`,
  isMet: aim === null ? null : measured / beside <= aim,
});

/** What has a limit instead of a comparator. Null: nothing is aimed at. */
export const limitFigure = (what: string, measured: number, aim: number | null, unit: string, note = ''): Figure => ({
  what,
  measured,
  unit,
  beside: null,
  note,
  ratio: null,
  aim: aim === null ? '' : `< ${aim} ${unit}`,
  isMet: aim === null ? null : measured < aim,
});

/** What there must be none of. */
export const noneFigure = (what: string, measured: number, note: string): Figure => ({
  what,
  measured,
  unit: '',
  beside: null,
  note,
  ratio: null,
  aim: '0',
  isMet: measured === 0,
});

export const withoutAim = (figure: Figure): Figure => ({ ...figure, aim: '', isMet: null });

const atLeast = (
  what: string,
  [measured, beside]: readonly [number, number],
  ratio: number,
  unit: string,
  aim: number | null,
): Figure => ({
  what,
  measured,
  unit,
  beside,
  note: '',
  ratio,
  aim: aim === null ? '' : `>= ${aim}`,
  isMet: aim === null ? null : ratio >= aim,
});

const amount = (value: number, unit: string): string => {
  const digits = Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const number = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit === '' || unit.startsWith('/') ? `${number}${unit}` : `${number} ${unit}`;
};

const header = ['', 'measured', 'beside', 'ratio', 'aim', ''];

const rowOf = ({ what, measured, unit, beside, note, ratio, aim, isMet }: Figure): string[] => [
  what,
  amount(measured, unit),
  [beside === null ? '' : amount(beside, unit), note].filter((part) => part !== '').join(' '),
  ratio === null ? '' : ratio.toFixed(2),
  aim,
  isMet === null ? '' : isMet ? 'met' : 'MISSED',
];

/** The figures as a table that a person can read. */
export const tableOf = (figures: readonly Figure[]): string => {
  const rows = [header, ...figures.map(rowOf)];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/** The same for a document, with columns as wide as its formatter wants them. */
export const markdownTableOf = (figures: readonly Figure[]): string => {
  const rows = [header, ...figures.map(rowOf)].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = header.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const lines = [rows[0] ?? [], widths.map((width) => '-'.repeat(width)), ...rows.slice(1)];
  return lines
    .map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
    .join('\n');
};
