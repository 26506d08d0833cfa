/** What a terminal of some width shows after everything that was written to it. */
export const screenOf = (written: string, columns: number): readonly string[] => {
  const screen = new Screen(columns);
  // eslint-disable-next-line no-control-regex -- what programs say to terminals begins with control characters
  for (const [part, parameters, command] of written.matchAll(/\u001b\[([\d;?]*)([A-Za-z])|\u001b.|[^\u001b]/gsu)) {
    if (command !== undefined) screen.obey(command, parameters ?? '');
    else if (!part.startsWith('\u001b')) screen.put(part);
  }
  return screen.lines();
};

/** One cell for each column; the second cell of a wide letter is empty. */
class Screen {
  readonly #columns: number;
  readonly #rows: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  put(letter: string): void {
    if (letter === '\r') this.#column = 0;
    else if (letter === '\n') this.#move(this.#row + 1, this.#column);
    else if (letter === '\b') this.#column = Math.max(0, this.#column - 1);
    else if (letter >= ' ') this.#print(letter);
  }

  obey(command: string, parameters: string): void {
    const count = Math.max(1, Number(parameters || 1));
    const row = this.#rows[this.#row] ?? [];
    if (command === 'K' && parameters === '2') row.length = 0;
    if ((command === 'K' || command === 'J') && (parameters === '' || parameters === '0')) row.length = this.#column;
    if (command === 'J') this.#rows.length = this.#row + 1;
    if (command === 'A') this.#move(Math.max(0, this.#row - count), this.#column);
    if (command === 'B') this.#move(this.#row + count, this.#column);
    if (command === 'C') this.#column += count;
    if (command === 'D') this.#column = Math.max(0, this.#column - count);
    if (command === 'G') this.#column = count - 1;
  }

  lines(): readonly string[] {
    const lines = this.#rows.map((row) => Array.from(row, (cell: string | undefined) => cell ?? ' ').join(''));
    return lines.map((line) => line.trimEnd());
  }

  #print(letter: string): void {
    const cells = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(letter)
      ? [letter, '']
      : [letter];
    if (this.#column + cells.length > this.#columns) this.#move(this.#row + 1, 0);
    const row = this.#rows[this.#row] ?? [];
    cells.forEach((cell, index) => (row[this.#column + index] = cell));
    this.#column += cells.length;
  }

  #move(row: number, column: number): void {
    while (this.#rows.length <= row) this.#rows.push([]);
    this.#row = row;
    this.#column = column;
  }
}
