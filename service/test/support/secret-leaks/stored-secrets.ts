import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Service } from '../services/service.ts';

/** Files that are there to hold a secret, for their owner's eyes only. */
const strongboxes = ['secret.key', 'obmd-admin-token', 'admin-password'];

/** Everything that is stored: the bytes of all files, or every column of every table. */
export const storedIn = async (service: Service): Promise<readonly (readonly [place: string, text: string])[]> => {
  const names = await readdir(service.dataDir, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && !strongboxes.includes(entry.name));
  const texts = await Promise.all(
    files.map(
      async ({ parentPath, name }) => [`file ${name}`, await readFile(join(parentPath, name), 'latin1')] as const,
    ),
  );
  const url = service.env['CORRAL_DATABASE_URL'];
  return url === undefined ? texts : [...texts, ...(await tablesIn(url))];
};

const tablesIn = async (url: string): Promise<readonly (readonly [string, string])[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public'",
    );
    const tables: [string, string][] = [];
    for (const { name } of rows) {
      const content = await client.query(`select * from "${name}"`);
      tables.push([`table ${name}`, JSON.stringify(content.rows)]);
    }
    return tables;
  } finally {
    await client.end();
  }
};

/** Looks at the command lines of all processes, again and again. */
export const watchCommandLines = (): { stop(): string } => {
  const seen = new Set<string>();
  const look = (): void => {
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      try {
        seen.add(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
      } catch {
        // It has ended.
      }
    }
  };
  const timer = setInterval(look, 15);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return [...seen].join('\n');
    },
  };
};
