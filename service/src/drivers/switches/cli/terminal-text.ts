/*
 * What a terminal would show of the bytes a device sends. Devices redraw: they erase their pager's question
 * with backspaces or a carriage return, and colour their prompts.
 */

const escape = String.fromCharCode(27);
const escapes = new RegExp(`${escape}(?:\\[[0-9;?]*[ -/]*[@-~]|[()][A-Za-z0-9]|[=>78DEMc])`, 'g');
// A bell, a null for padding, and the like.
const control = /(?!\n)\p{Cc}/u;
const silent = /(?![\b\t\n\r])\p{Cc}/gu;

/** Longer than any that devices send. */
const longestEscape = 64;

/** The lines as they stand on the screen, without spaces at their ends. */
export const shown = (text: string): string => withoutControls(text).split('\n').map(overwritten).join('\n');

/** A shorter line that stands on the screen, and goes on, as this one does: what was overwritten is left out. */
export const folded = (line: string): string => {
  // What may be the beginning of an escape is left as it is.
  const begun = line.indexOf(escape, line.length - longestEscape);
  const whole = begun < 0 ? line : line.slice(0, begun);
  const { cells, column } = drawn(withoutControls(whole));
  const redrawn = column === cells.length ? '' : `\r${cells.slice(0, column).join('')}`;
  return `${cells.join('')}${redrawn}${line.slice(whole.length)}`;
};

const withoutControls = (text: string): string =>
  // Most lines have none: asking first takes a tenth of the time.
  control.test(text) ? text.replace(escapes, '').replace(silent, '') : text;

const overwritten = (text: string): string => {
  // Not by a pattern: every carriage return of many would be a beginning to try.
  let end = text.length;
  while (text[end - 1] === '\r') end -= 1;
  const line = text.slice(0, end);
  return (/[\r\b]/.test(line) ? drawn(line).cells.join('') : line).trimEnd();
};

const drawn = (line: string): { readonly cells: readonly string[]; readonly column: number } => {
  const cells: string[] = [];
  let column = 0;
  for (const character of line) {
    if (character === '\r') column = 0;
    else if (character === '\b') column = Math.max(0, column - 1);
    else cells[column++] = character;
  }
  return { cells, column };
};
