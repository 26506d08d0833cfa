import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { newKey } from '@corral/base/secrets/vault-key';
import { formatKeyRing, ringWith } from '@corral/base/secrets/key-ring';
import Libsql from 'libsql';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-service-config.ts';
import { findViolations, violationsIn } from '../../src/core/invariants/find-violations.ts';
import { openCurrent } from '../../src/db/open-service-database.ts';
import { runAdminSuccessfully, runAdmin } from '../support/services/run-admin.ts';
import { engines } from '../support/services/engines.ts';
import { ringOf } from '../support/services/key-rotation.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { connect, done, makeNetwork, makeNode, makeProject, reserve } from '../support/services/world.ts';

/** A project with two nodes, one of them on a network, and another network and project. */
const siteForTest = async (engine: (typeof engines)[number]): Promise<Service> => {
  const service = await serviceForTest(engine);
  for (const project of ['red', 'blue']) await makeProject(service, project);
  await makeNode(service, 'n1', ['eth0']);
  await makeNode(service, 'n2', ['eth0']);
  await reserve(service, 'red', 'n1');
  await makeNetwork(service, 'web', 'red');
  await makeNetwork(service, 'db', 'blue');
  await connect(service, 'n1', 'eth0', 'web');
  await done(service.admin.put('/headnode/h1', { project: 'red', base_img: 'base' }));
  await done(service.admin.put('/headnode/h1/hnic/eth0'));
  return service;
};

const same = (text: string) => ({ sqlite: text, postgres: text });
const idOf = (table: string, label: string): string => `(select id from ${table} where label = '${label}')`;
const action = (kind: string, node: string, network: string): string =>
  `insert into actions (status_id, nic_id, kind, network_id, network, channel, status, created_at)
    select 'some-id', nics.id, '${kind}', ${idOf('networks', network)}, '${network}', 'vlan/native', 'PENDING', 0
    from nics join nodes on nodes.id = nics.node_id where nodes.label = '${node}'`;

/** What is done to a sound database behind the service's back, and what is said of it. */
const damages: readonly (readonly [string, readonly string[], string, string])[] = [
  [
    'a node on a network that is free',
    ["update nodes set project_id = null where label = 'n1'"],
    'a node on a network is in a project, or is being cleaned',
    'nic eth0 of node n1 is on network web',
  ],
  [
    'a node on a network of others',
    [`update attachments set network_id = ${idOf('networks', 'db')}, channel = 'vlan/native'`],
    'the project of a node on a network has access to it',
    'nic eth0 of node n1 of project red is on network db',
  ],
  [
    'a nic on a network without a port',
    ['update nics set port_id = null'],
    'a nic on a network is on a port',
    'nic eth0 of node n1 is on network web',
  ],
  [
    'a channel of another network',
    ["update attachments set channel = 'vlan/4000'"],
    'a network is attached by a channel of its own',
    'nic eth0 of node n1 is on network web by channel vlan/4000',
  ],
  [
    'an owner without access',
    [`delete from network_access where network_id = ${idOf('networks', 'db')}`],
    'the owner of a private network has access to it',
    'network db of project blue',
  ],
  [
    'a public network with a list',
    ["update networks set is_public = 1 where label = 'db'"],
    'a public network has no access list',
    'network db names project blue',
  ],
  [
    'a doubt about a port that is known',
    [
      `insert into suspect_networks (port_id, network_id) select id, ${idOf('networks', 'web')} from ports where label = 'n2/eth0'`,
    ],
    'only a suspect port may carry unrecorded networks',
    'port n2/eth0 of switch sw0 may carry network web',
  ],
  [
    'an action for a node in no project',
    [action('connect', 'n2', 'web')],
    'a pending connection or detachment is about a node in a project',
    'the connect some-id on nic eth0 of node n2',
  ],
  [
    'an action on a nic without a port',
    [action('connect', 'n2', 'web'), 'update nics set port_id = null where id not in (select nic_id from attachments)'],
    'a pending action is about a nic on a port',
    'the connect some-id on nic eth0 of node n2',
  ],
  [
    'an action for a network of others',
    [action('connect', 'n1', 'db')],
    'the project of a pending connection has access to the network',
    'the connect some-id on nic eth0 of node n1 to network db',
  ],
  [
    'a connection that is there',
    ['delete from actions', action('connect', 'n1', 'web')],
    'a pending connection is to a network that the nic is not on yet',
    'the connect some-id on nic eth0 of node n1',
  ],
  [
    'a detachment of what is not there',
    ['delete from actions', action('detach', 'n1', 'web'), 'delete from attachments'],
    'a pending detachment is from a network that the nic is on',
    'the detach some-id on nic eth0 of node n1',
  ],
  [
    'two actions of one nic',
    [action('detach', 'n1', 'web')],
    'a nic has one action on record at most',
    'nic eth0 of node n1 has 2',
  ],
  [
    'a headnode on a network of others',
    [`update hnics set network_id = ${idOf('networks', 'db')}`],
    'the project of a headnode on a network has access to it',
    'hnic eth0 of headnode h1 is on network db',
  ],
  [
    'a headnode on a chosen VLAN',
    [`update hnics set network_id = ${idOf('networks', 'web')}`, 'update networks set vlan_is_assigned = 1'],
    'a headnode is on no network whose VLAN id an administrator chose',
    'hnic eth0 of headnode h1 is on network web',
  ],
  [
    'a headnode half made that was never started',
    ['update headnodes set making = 1'],
    'only a headnode that was started can be unfinished',
    'headnode h1 is created',
  ],
  [
    'nobody who administers',
    ['update users set is_admin = 0'],
    'where there are users, one is an administrator',
    'none of 1 users is',
  ],
  [
    'JSON that is none',
    ["update nodes set metadata = '{' where label = 'n2'"],
    'JSON columns contain valid JSON',
    'metadata in nodes of n2',
  ],
  [
    'a secret that is not sealed',
    ["update nodes set obm_admin_token = 'plain secret' where label = 'n2'"],
    'a key of the key file opens every sealed value',
    'obm_admin_token in nodes of n2',
  ],
  [
    'an event for a project that is to come',
    ["insert into event_projects (event_id, project_id, project) select max(id), 4711, 'later' from events"],
    'an event refers to projects that exist or existed',
    expect.stringMatching(/^event \d+ to project later$/) as string,
  ],
];

const found = async (env: Service['env']): Promise<{ code: unknown; violations: unknown }> => {
  const { code, output } = await runAdmin(env, 'check', '--json');
  return { code, ...(JSON.parse(output) as { violations: unknown }) };
};

describe.each(engines)('check on %s', (engine) => {
  it('finds nothing wrong with what the service made', async () => {
    const service = await siteForTest(engine);
    expect(await runAdminSuccessfully(service.env, 'check')).toBe('The database is consistent.\n');
    // Settings that are no secrets are not sealed.
    await runSql(service, same("insert into settings (name, value) values ('events_pruned_up_to', '7')"));
    expect(await found(service.env)).toEqual({ code: 0, violations: [] });
  });

  it('finds whatever does not fit together', async () => {
    const service = await siteForTest(engine);
    await service.stop();
    const db = await openCurrent(loadConfig(service.env).database);
    const { keys } = ringOf(service);
    try {
      expect(await findViolations(db, keys)).toEqual([]);
      for (const [name, statements, rule, what] of damages) {
        const found: unknown[] = [];
        const damaged = db.write(async (tx) => {
          for (const statement of statements) await sql.raw(statement).execute(tx);
          found.push(...(await violationsIn(engine, tx, keys)));
          throw new Error('as it was');
        });
        await expect(damaged, name).rejects.toThrow('as it was');
        expect(found, name).toContainEqual({ rule, what });
      }
      expect(await findViolations(db, keys)).toEqual([]);
    } finally {
      await db.close();
    }
  });

  it('looks at the settings too: keys, and VLAN ids', async () => {
    const service = await siteForTest(engine);
    await service.stop();
    expect(await found({ ...service.env, CORRAL_VLANS: '3000-3001' })).toEqual({
      code: 1,
      violations: ['db has VLAN 101', 'web has VLAN 100'].map((what) => ({
        rule: 'the VLAN pool (setting vlans) contains the ids of networks',
        what: `network ${what}`,
      })),
    });
    const other = join(service.dataDir, 'other.key');
    writeFileSync(other, formatKeyRing(ringWith(newKey())), { mode: 0o600 });
    const { code, violations } = await found({ ...service.env, CORRAL_KEY_FILE: other });
    expect(code).toBe(1);
    expect(violations).toEqual(
      [
        'config in switches of sw0',
        'obm_admin_token in nodes of n1',
        'obm_admin_token in nodes of n2',
        'value in settings of installation',
        'value in settings of key_check',
      ].map((what) => ({ rule: 'a key of the key file opens every sealed value', what })),
    );
    expect((await runAdmin({ ...service.env, CORRAL_KEY_FILE: '/nowhere' }, 'check')).output).toMatch(
      /^corral-admin: key_file: \/nowhere is missing; this database's secrets are sealed with key /,
    );
  });

  it('looks at the OBM daemon inside the service too', async () => {
    const service = await serviceForTest(engine, { CORRAL_OBMD: '127.0.0.1:0' });
    await makeNode(service, 'n1');
    expect(await found(service.env)).toEqual({ code: 0, violations: [] });
    await runSql(service, same("insert into obmd_nodes (label, type, info) values ('n1', 'mock', 'plain')"), 'obmd.db');
    const broken = { rule: 'a key of the key file opens every sealed value', what: 'info in obmd_nodes of n1' };
    expect(await found(service.env)).toEqual({ code: 1, violations: [broken] });
  });

  it('names each violation in a table, and no secret', async () => {
    const service = await siteForTest(engine);
    await runSql(service, same("update nodes set metadata = '{', obm_admin_token = 'plain secret'"));
    expect(await runAdmin(service.env, 'check')).toEqual({
      code: 1,
      output: [
        'MUST HOLD                                        BROKEN BY',
        'JSON columns contain valid JSON                  metadata in nodes of n1',
        '                                                 metadata in nodes of n2',
        'a key of the key file opens every sealed value   obm_admin_token in nodes of n1',
        '                                                 obm_admin_token in nodes of n2',
        '',
        '4 violations found.',
        '',
      ].join('\n'),
    });
  });
});

describe('check on sqlite', () => {
  it('finds rows that refer to nothing, and ids that would come again', async () => {
    const service = await siteForTest('sqlite');
    await service.stop();
    const db = new Libsql(join(service.dataDir, 'corral.db'));
    db.exec('pragma foreign_keys = off');
    db.exec("delete from networks where label = 'web'");
    db.exec("update sqlite_sequence set seq = 1 where name = 'nodes'");
    db.close();
    expect((await found(service.env)).violations).toEqual(
      expect.arrayContaining([
        { rule: 'every reference points to an existing row', what: 'row 1 of attachments refers to networks' },
        { rule: 'ids only increase', what: 'nodes has id 2, and the next one would be 2' },
      ]),
    );
  });
});

describe.runIf(engines.includes('postgres'))('check on postgres', () => {
  it('finds constraints that were not checked, and ids that would come again', async () => {
    const service = await siteForTest('postgres');
    const postgres = async (text: string) => runSql(service, { sqlite: '', postgres: text });
    await postgres('alter table nics drop constraint nics_node_id_fkey');
    await postgres(
      'alter table nics add constraint nics_node_id_fkey foreign key (node_id) references nodes not valid',
    );
    await postgres("select setval(pg_get_serial_sequence('nodes', 'id'), 1)");
    expect((await found(service.env)).violations).toEqual([
      { rule: 'every constraint was checked against all rows', what: 'nics_node_id_fkey of table nics' },
      { rule: 'ids only increase', what: 'nodes has id 2, and the next one would be 2' },
    ]);
  });
});
