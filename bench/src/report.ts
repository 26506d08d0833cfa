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
