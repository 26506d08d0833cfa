import type { DatabaseLocation, Holdings } from './open.ts';

/** Does none of these programs use the database now? To be asked before this process opens it. */
export const isAloneWith = async (
  location: DatabaseLocation,
  programs: readonly Pick<Holdings<string>, 'name'>[],
): Promise<boolean> => {
  if (location.engine === 'sqlite') return (await import('./sqlite.ts')).isAloneWithSqlite(location.path);
  const { isAloneWithPostgres } = await import('./postgres.ts');
  return isAloneWithPostgres(
    location.url,
    programs.map(({ name }) => name),
  );
};
