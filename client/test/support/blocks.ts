import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Where a file of the repository is. */
export const path = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));

export const textOf = (name: string): Promise<string> => readFile(path(name), 'utf8');

/** The code in a document, of one language. */
export const blocks = (markdown: string, language: string): string[] =>
  [...markdown.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].flatMap(([, of, text]) => (of === language ? [text ?? ''] : []));
