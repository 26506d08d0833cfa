/*
 * Reads a page that is followed at a terminal: files to write (their names stand before them), commands with what they
 * print, and what happens to the lab meanwhile, which nobody who reads the page sees.
 */

export type LabPart =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'order'; readonly order: string }
  | { readonly kind: 'command'; readonly command: string; readonly shown: string };

const part = /^`([\w.-]+)`:\n\n```\w+\n(.*?)^```$|^<!-- lab: ([^\n]*) -->$|^```console\n(.*?)^```$/gms;

export const partsOf = (markdown: string): LabPart[] =>
  [...markdown.matchAll(part)].flatMap(([, name, text = '', order, console = '']): LabPart[] => {
    if (name !== undefined) return [{ kind: 'file', name, text }];
    if (order !== undefined) return [{ kind: 'order', order }];
    return [...console.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)].map(([, command = '', shown = '']) => ({
      kind: 'command',
      command,
      shown,
    }));
  });

/** What is printed, without what is another each time (times, ages, ids) and without how it is wrapped. */
export const unwrapped = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(time)')
    .replaceAll(/\b\d+ (?:ms|s|min) ago\b|\bnow\b/g, '(age)')
    .replaceAll(/^took +[\d.]+ m?s$/gm, 'took (time)')
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '(id)')
    .replaceAll(/\s+/g, '');
