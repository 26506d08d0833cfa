import { type Access, type Store, storeOf } from '@corral/base/db/access';
import { lockTables, requireAloneWith } from '@corral/base/db/alone';
import { inUse, newestOf } from '@corral/base/db/migrate';
import type { Holdings } from '@corral/base/db/holdings';
import {
  type DatabaseLocation,
  openCurrent,
  openDatabase,
  placeOf,
  requireCurrent,
  versionIn,
} from '@corral/base/db/open';
import type { Table } from '@corral/base/db/tables';
import { holdings as obmdHoldings } from '@corral/obmd/db/open';
import type { Config } from '../config/config.ts';
import { daemonDatabase } from '../config/daemon-database.ts';
import { holdings } from '../db/open.ts';

/** One database, and the programs whose tables it has: on PostgreSQL the service and its daemon share one. */
export interface Place {
  readonly location: DatabaseLocation;
  readonly programs: readonly Holdings<string>[];
}

/** A place that is open. */
export interface OpenPlace extends Place {
  readonly tables: readonly Table[];
  readonly store: Store;
}

/** How a program is called to an operator. */
export const titleOf = ({ name }: Pick<Holdings<string>, 'name'>): string =>
  name === obmdHoldings.name ? 'OBM daemon' : 'service';

/** Where the service keeps its tables, and the daemon inside it, if `database` is the setting. */
export const placesOf = ({ dataDir, obmd }: Config, database: DatabaseLocation): Place[] => {
  if (obmd === null) return [{ location: database, programs: [holdings] }];
  const daemon = daemonDatabase(dataDir, database);
  return daemon === database
    ? [{ location: database, programs: [holdings, obmdHoldings] }]
    : [
        { location: database, programs: [holdings] },
        { location: daemon, programs: [obmdHoldings] },
      ];
};

/** Refuses while a program of ours uses one of them. Files stay this process's own then, and are made if need be. */
export const requireAlone = async (places: readonly Place[]): Promise<void> => {
  for (const { location } of places) await requireAloneWith(location, [holdings, obmdHoldings]);
};

/** Keeps all others from the tables until the transaction ends: from writing, or from reading too. */
export const keepOthersFrom = async (place: InsidePlace, what: 'writing' | 'reading'): Promise<void> => {
  const { access, tables, location } = place;
  // A file is this process's own already.
  if (access.engine === 'sqlite') return;
  await requireAlone([place]);
  const isLocked = await lockTables(access, tables, what === 'writing' ? 'share' : 'access exclusive');
  if (!isLocked) throw inUse(placeOf(location));
  // Who came before the lock may have read what is about to go; who comes later waits.
  await requireAlone([place]);
};

/** This program is not taken for those whose tables it works on. */
const visiting = <Topic extends string>(program: Holdings<Topic>): Holdings<Topic> => ({
  ...program,
  name: 'corral_admin',
});

/** Opens what is there. The daemon may never have run; the service must have. */
export const openPlaces = async (places: readonly Place[]): Promise<OpenPlace[]> => {
  const found: Place[] = [];
  for (const { location, programs } of places) {
    const there: Holdings<string>[] = [];
    for (const program of programs) {
      if (program.name === obmdHoldings.name && (await versionIn(location, program)) === 0) continue;
      await requireCurrent(location, program);
      there.push(program);
    }
    if (there.length > 0) found.push({ location, programs: there });
  }
  return openAll(found, ({ location }, [first]) => openCurrent<unknown, string>(location, visiting(first)));
};

/** Opens places to write to, which are made if they are not there; those of another version are refused. */
export const openTargets = async (places: readonly Place[]): Promise<OpenPlace[]> => {
  for (const { location, programs } of places) {
    for (const program of programs)
      if ((await versionIn(location, program)) !== 0) await requireCurrent(location, program);
  }
  return openAll(places, async ({ location }, [first, ...others]) => {
    for (const program of others) await (await openDatabase(location, visiting(program))).close();
    return openDatabase<unknown, string>(location, visiting(first));
  });
};

type Programs = readonly [Holdings<string>, ...Holdings<string>[]];

const openAll = async (
  places: readonly Place[],
  opened: (place: Place, programs: Programs) => ReturnType<typeof openCurrent<unknown, string>>,
): Promise<OpenPlace[]> => {
  const all: OpenPlace[] = [];
  try {
    for (const place of places) {
      const [first, ...others] = place.programs;
      if (first === undefined) continue;
      const tables = place.programs.flatMap((program) => program.tables);
      all.push({ ...place, tables, store: storeOf(await opened(place, [first, ...others])) });
    }
    return all;
  } catch (error) {
    await closeAll(all);
    throw error;
  }
};

export const closeAll = async (places: readonly OpenPlace[]): Promise<void> => {
  for (const { store } of places) await store.close();
};

/** One transaction on each of the places, all of them open at the same time. */
export const insideAll = <T>(
  places: readonly OpenPlace[],
  kind: 'read' | 'write',
  work: (inside: readonly InsidePlace[]) => Promise<T>,
): Promise<T> => {
  const enter = (index: number, inside: readonly InsidePlace[]): Promise<T> => {
    const place = places[index];
    if (place === undefined) return work(inside);
    return place.store[kind]((access) => enter(index + 1, [...inside, { ...place, access }]));
  };
  return enter(0, []);
};

/** A place inside a transaction. */
export interface InsidePlace extends OpenPlace {
  readonly access: Access;
}

/** The version of each program's tables. */
export const versionsOf = (places: readonly Place[]): Record<string, number> =>
  Object.fromEntries(
    places.flatMap(({ programs }) => programs.map(({ name, migrations }) => [name, newestOf(migrations)])),
  );
