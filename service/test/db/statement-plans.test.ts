import Libsql from 'libsql';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, type MockInstance, vi } from 'vitest';
import { authorizationCases } from '../support/authorization/authorization-cases.ts';
import { make, routes } from '../support/authorization/authorization-matrix.ts';
import { basicSource } from '../support/authorization/authorization-sources.ts';
import { makeRig, type Rig } from '../support/authorization/authorization-rig.ts';
import { eventually } from '../support/services/world.ts';

/*
 * Nothing that the service does may look at all of a table that grows with the site or its age. Every call is made once,
 * by an administrator and by a member, while the workers run; then SQLite is asked how it carries out each statement
 * that it was given. PostgreSQL has the same indexes, and chooses by what is in the tables.
 */

/** There are 4,094 VLANs, so there are no more networks; 500 subscriptions; and one row each of the others. */
const small = new Set([
  'networks',
  'network_access',
  'subscriptions',
  'settings',
  'schema_migrations',
  'sqlite_master',
]);

/** Statements that look at a whole table, by words that are only in them, and why they may. */
const permitted: readonly (readonly [words: string, why: string])[] = [
  ['select "label" from "nodes"', 'list_nodes answers with all of them'],
  ['select "id", "label", "obm_uri", "obm_admin_token" from "nodes"', 'list_bmcs answers with all of them'],
  ['select count(*) as "count" from "nodes"', 'a claim that is refused says how many nodes would fit'],
  ['select "label" from "projects"', 'list_projects answers with all of them'],
  ['select "projects"."label" as "project", "quotas"."what"', 'list_quotas answers with all of them'],
  [
    'select "id", "label", "class", "project_id", "metadata" from "nodes"',
    'once, when the key of classes is another one',
  ],
  ['select "label" from "switches"', 'list_switches answers with all of them'],
  ['select "id", "label", "is_admin" from "users"', 'list_users answers with all of them'],
  ['select "user_projects"."user_id", "projects"."label"', 'list_users answers with all of them'],
  ['select * from "switches" order by "label"', 'show_drift and network_reach answer with all of them'],
  ['count(distinct "nodes"."id") as "nodes"', 'networks_overview counts what is on each of them'],
  ['select "id", "swept_at" from "switches"', 'network_reach has all of them read'],
  ['"attachments"."channel" as "recorded" from "ports"', 'network_reach looks at every port'],
  ['select "uuid" from "headnodes"', 'the machines of the hypervisor are compared with all of them'],
  ['select "label" from "headnodes" where "state" <> ? limit ?', 'once, when the first machine is made'],
  ['select "obm_uri" from "departed_bmcs"', 'only what a process that died left'],
  ['inner join "leases" on leases.name', 'metrics have a line for every switch'],
  ['count("ports"."id") as "drifting" from "switches"', 'metrics have a line for every switch'],
  ['from "events" order by "id" desc limit ?', 'it ends at the first'],
  ['select "id" from "users" limit ?', 'it ends at the first'],
  ['where "sweep_answered" >= "sweep_wanted"', 'a service that starts has all of them read'],
  ['delete from "leases" where "name" like ?', 'every ten minutes'],
  ['delete from "sessions" where ("expires_at" <= ? or "seen_at" <= ?)', 'every ten minutes'],
  ['delete from "identities" where "seen_at" <= ?', 'every ten minutes'],
];

let prepare: MockInstance<Libsql.Database['prepare']>;
let rig: Rig;
let db: Libsql.Database;

beforeAll(async () => {
  prepare = vi.spyOn(Libsql.prototype, 'prepare');
  rig = await makeRig('sqlite', {
    ...basicSource,
    env: { ...basicSource.env, CORRAL_EVENTS_KEEP_DAYS: '1', CORRAL_ACTIONS_KEEP_DAYS: '1', CORRAL_ENGINE_SWEEP: '1' },
  });
  db = new Libsql(join(rig.service.dataDir, 'corral.db'), { readonly: true });
}, 60_000);
afterAll(async () => {
  vi.restoreAllMocks();
  db.close();
  await rig.close();
});

const namesIn = (where: string): ReadonlySet<string> => {
  const rows = db.prepare(`select name from sqlite_master where ${where}`).all([]) as { name: string }[];
  return new Set(rows.map(({ name }) => name));
};

/** What a statement looks at from end to end: tables by their own names. */
const scansOf = (text: string): string[] => {
  const tables = namesIn("type = 'table'");
  // They hold only what is looked for.
  const partial = namesIn("type = 'index' and sql like '% where %'");
  const plan = db.prepare(`explain query plan ${text}`).all([]) as { detail: string }[];
  return plan.flatMap(({ detail }) => {
    const [, name = '', index = ''] = /^SCAN (\S+)(?: USING (?:COVERING )?INDEX (\S+))?/.exec(detail) ?? [];
    const table = new RegExp(`"(\\w+)" as "${name}"`).exec(text)?.[1] ?? name;
    return name === '' || small.has(table) || partial.has(index) || !tables.has(table) ? [] : [table];
  });
};

it('no statement of any call or worker looks at all of a table that grows', { timeout: 240_000 }, async () => {
  for (const route of routes) {
    for (const { given, letIn, when } of authorizationCases[route.name] ?? []) {
      for (const caller of (['member', 'admin'] as const).filter((one) => letIn.includes(one))) {
        const answer = await make(rig.callers[caller], rig.service.url, route, await given(rig));
        expect(answer.status, `${route.name} ${when ?? ''} ${answer.text}`).toBeLessThan(500);
      }
    }
  }
  await rig.service.admin.get('/events?after=0&type=node_register&since=2026-01-01T00:00:00Z');
  await fetch(`${rig.service.url}/metrics`);
  const given = (): readonly string[] => [...new Set(prepare.mock.calls.map(([text]) => text))];
  await eventually(() => (given().some((text) => text.includes('sweep_at')) ? true : undefined));
  const found = given()
    .filter((text) => /^(with|select|update|delete|insert)\b/i.test(text.trim()))
    .map((text) => ({ text, scans: scansOf(text) }))
    .filter(({ scans }) => scans.length > 0);
  const refused = found.filter(({ text }) => !permitted.some(([words]) => text.includes(words)));
  expect(refused.map(({ text, scans }) => `${scans.join(', ')}: ${text}`)).toEqual([]);
  // Nothing is permitted that nobody does any more.
  expect(permitted.filter(([words]) => !found.some(({ text }) => text.includes(words)))).toEqual([]);
});
