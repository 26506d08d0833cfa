import { resolve } from 'node:path';
import type { DatabaseLocation } from '../db/open-database.ts';
import { textThat, type ValueType } from './value-types.ts';

/** How a database is named, in words. */
export const locationRule = 'a path, sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE';

/** Where a database is, going by how it was named; null: that is no such name. */
export const parseLocation = (text: string, connections: number): DatabaseLocation | null => {
  if (/^postgres(ql)?:\/\//.test(text)) {
    return URL.canParse(text) ? { engine: 'postgres', url: text, connections } : null;
  }
  const path = text.replace(/^(sqlite|file):(\/\/(?=\/))?/, '');
  return path === '' || /^[a-z][a-z0-9+.-]+:/i.test(path) ? null : { engine: 'sqlite', path: resolve(path) };
};

/** Where a database is. It can hold a password. */
export const databaseUrl: ValueType<string> = {
  ...textThat((given) => parseLocation(given, 1) !== null, locationRule),
  isSecret: true,
};

/** The database that a setting names; `file` is that of the embedded one. */
export const databaseAt = (given: string | null, file: string, connections: number): DatabaseLocation =>
  (given === null ? null : parseLocation(given, connections)) ?? { engine: 'sqlite', path: file };
