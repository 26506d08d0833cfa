/*
 * What a terminal would show of the bytes a device sends. Devices redraw: they erase their pager's question
 * with backspaces or a carriage return, and colour their prompts.
 */

const escape = String.fromCharCode(27);
const escapes = new RegExp(`${escape}(?:\\[[0-9;?]*[ -/]*[@-~]|[()][A-Za-z0-9]|[=>78DEMc])`, 'g');
// A bell, a null for padding, and the like.
const silent = /(?![\b\t\n\r])\p{Cc}/gu;

/** The lines as they stand on the screen, without spaces at their ends. */
export const shown = (text: string): string =>
  text.replace(escapes, '').replace(silent, '').split('\n').map(overwritten).join('\n');

/** The last line as it stands on the screen. */
export const lastLine = (text: string): string => shown(text.slice(text.lastIndexOf('\n') + 1));

const overwritten = (text: string): string => {
  // Not by a pattern: every carriage return of many would be a beginning to try.
  let end = text.length;
  while (text[end - 1] === '\r') end -= 1;
  const line = text.slice(0, end);
  if (!/[\r\b]/.test(line)) return line.trimEnd();
  const cells: string[] = [];
  let column = 0;
  for (const character of line) {
    if (character === '\r') column = 0;
    else if (character === '\b') column = Math.max(0, column - 1);
    else cells[column++] = character;
  }
  return cells.join('').trimEnd();
};
