import { readFileSync } from 'node:fs';

/** A row of a table of differences. */
interface PageRow {
  readonly situation: string;
  /** How Corral answers: its status, and after it the type of an error, JSON that the body holds, or nothing. */
  readonly status: number;
  readonly rest: string;
}

const page = new URL('../../../../docs/coming-from-hil.md', import.meta.url);

/** The rows of docs/coming-from-hil.md, in its order. */
export const pageRows = (): PageRow[] =>
  readFileSync(page, 'utf8')
    .split(/^\| call or situation .*\n\| -.*\n/m)
    .slice(1)
    .flatMap((table) => /^(?:\|.*\n)+/.exec(table)?.[0].trim().split('\n') ?? [])
    .map((line) => {
      const [, situation = '', , corral = ''] = line.split('|').map((cell) => cell.trim());
      const [, status, rest = ''] = /`(\d{3}) ?([^`]*)`/.exec(corral) ?? [];
      return { situation: situation.replaceAll('`', ''), status: Number(status), rest };
    });
