import autocannon from 'autocannon';
import Libsql from 'libsql';
import type { Rate } from './http-load.ts';
import { authorization, call, nodeLabel, type Installation } from './installation.ts';
import type { Measured } from './process.ts';

export const callers = 20;
/** 2,000 calls: as for reads, what is measured is a service that has been up for some seconds. */
const warmUpRounds = 50;

/** Reservations and releases, by twenty callers at once, each on a node of its own. */
export const reserveAndRelease = async (service: Measured, rounds: number): Promise<Rate> => {
  await call(service.url, 'PUT', '/project/bench').catch(() => undefined);
  await reserveInTurn(service.url, { amount: 2 * callers * warmUpRounds });
  const before = service.cpuMs();
  const { perSecond, calls } = await reserveInTurn(service.url, { amount: 2 * callers * rounds });
  return { perSecond, cpuUs: ((service.cpuMs() - before) / calls) * 1000 };
};

/** The same for so many seconds: how many calls were answered each second. */
export const keepReserving = async (url: string, seconds: number): Promise<number> => {
  await call(url, 'PUT', '/project/bench').catch(() => undefined);
  return (await reserveInTurn(url, { duration: seconds })).perSecond;
};

/** Every caller reserves and releases in turn. The light client leaves the machine to the service. */
export const reserveInTurn = async (
  url: string,
  until: { readonly amount: number } | { readonly duration: number },
): Promise<{ readonly perSecond: number; readonly calls: number }> => {
  let caller = 0;
  const started = performance.now();
  // It ends on a full second; what counts is when the last answer came.
  let ended = started;
  const result = await autocannon({
    url,
    connections: callers,
    ...until,
    setupClient: (client) => {
      client.on('response', () => {
        ended = performance.now();
      });
      const body = JSON.stringify({ node: nodeLabel(caller) });
      caller += 1;
      client.setRequests(
        ['connect_node', 'detach_node'].map((verb) => ({
          method: 'POST',
          path: `/v0/project/bench/${verb}`,
          headers: { authorization, 'content-type': 'application/json' },
          body,
        })),
      );
    },
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  return { perSecond: result['2xx'] / ((ended - started) / 1000), calls: result['2xx'] };
};

/** The comparator: the same statements on the bare engine, one transaction after the other, nothing around them. */
export const bareReserveAndRelease = (installation: Installation, transactions: number): Rate => {
  const db = new Libsql(installation.database);
  db.exec('pragma journal_mode = wal');
  db.exec('pragma synchronous = full');
  db.exec('pragma foreign_keys = on');
  const project = db.prepare('select * from projects where label = ?');
  const node = db.prepare(
    'select nodes.*, projects.label as project from nodes left join projects on projects.id = nodes.project_id where nodes.label = ?',
  );
  const doubtful = db.prepare(
    'select ports.label, switches.label, ports.suspect, ports.drift_since, ports.reading from nics inner join ports on ports.id = nics.port_id inner join switches on switches.id = ports.switch_id where nics.node_id = ? and (ports.suspect is not null or ports.drift_since is not null or ports.unread = 1) limit 1',
  );
  const ties = db.prepare(
    `select networks.label as network, nics.label as nic from nics left join attachments on attachments.nic_id = nics.id left join networks on networks.id = attachments.network_id left join actions on actions.nic_id = nics.id and actions.status = 'PENDING' where nics.node_id = ? and (attachments.id is not null or actions.id is not null) order by case when attachments.id is null then 1 else 0 end limit 1`,
  );
  const update = db.prepare('update nodes set project_id = ? where id = ?');
  const event = db.prepare(
    `insert into events (at, type, caller, request_id, project, node, detail) values (?, ?, 'admin', 'bench', 'bench', ?, '{}')`,
  );
  const audience = db.prepare(`insert into event_projects (event_id, project_id, project) values (?, ?, 'bench')`);
  const label = nodeLabel(0);
  const started = performance.now();
  const before = process.cpuUsage();
  for (let count = 0; count < transactions; count += 1) {
    const isReserving = count % 2 === 0;
    db.exec('begin immediate');
    const { id: projectId } = project.get(['bench']) as { id: number };
    const { id: nodeId } = node.get([label]) as { id: number };
    if (!isReserving) ties.get([nodeId]);
    doubtful.get([nodeId]);
    update.run([isReserving ? projectId : null, nodeId]);
    const { lastInsertRowid } = event.run([
      Date.now(),
      isReserving ? 'project_connect_node' : 'project_detach_node',
      label,
    ]);
    audience.run([lastInsertRowid, projectId]);
    db.exec('commit');
  }
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  db.close();
  return { perSecond: transactions / seconds, cpuUs: (user + system) / transactions };
};
