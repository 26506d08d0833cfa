import type { Rate } from './http-load.ts';

/** One line of the report: what was measured, beside what, and what was aimed at. */
export interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly beside: string;
  readonly ratio: number | null;
  readonly aim: string;
  /** null: nothing is aimed at; it is there to compare with. */
  readonly isMet: boolean | null;
}

export const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString('en')}/s`;

/** How many calls a second, beside the comparator. */
export const throughputFigure = (what: string, measured: Rate, beside: Rate, aim: number): Figure => ({
  what,
  measured: perSecond(measured.perSecond),
  beside: perSecond(beside.perSecond),
  ratio: measured.perSecond / beside.perSecond,
  aim: `>= ${aim}`,
  isMet: measured.perSecond / beside.perSecond >= aim,
});

/** The processor time of a call, beside the comparator: a busy machine changes it little. Null: nothing is aimed at. */
export const processorFigure = (what: string, measured: Rate, beside: Rate, aim: number | null): Figure => ({
  what,
  measured: microseconds(measured.cpuUs),
  beside: microseconds(beside.cpuUs),
  ratio: beside.cpuUs / measured.cpuUs,
  aim: aim === null ? '' : `>= ${aim}`,
  isMet: aim === null ? null : beside.cpuUs / measured.cpuUs >= aim,
});

/** How much more something takes than something else. */
export const increaseFigure = (
  what: string,
  [measured, beside]: readonly [number, number],
  unit: string,
  aim: number,
): Figure => ({
  what,
  measured: `${measured.toFixed(2)} ${unit}`,
  beside: `${beside.toFixed(2)} ${unit}`,
  ratio: measured / beside,
  aim: `<= ${aim}`,
  isMet: measured / beside <= aim,
});

/** What has no comparator. */
export const limitFigure = (what: string, measured: number, aim: number, unit: string): Figure => ({
  what,
  measured: `${Math.round(measured)} ${unit}`,
  beside: '',
  ratio: null,
  aim: `< ${aim} ${unit}`,
  isMet: measured < aim,
});

const microseconds = (us: number): string => `${Math.round(us).toLocaleString('en')} µs`;

/** The figures as a table that a person can read. */
export const tableOf = (figures: readonly Figure[]): string => {
  const rows = [
    ['', 'measured', 'beside', 'ratio', 'aim', ''],
    ...figures.map(({ what, measured, beside, ratio, aim, isMet }) => [
      what,
      measured,
      beside,
      ratio === null ? '' : ratio.toFixed(2),
      aim,
      isMet === null ? '' : isMet ? 'met' : 'MISSED',
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
