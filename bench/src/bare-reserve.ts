// `node bare-reserve.js DATABASE TRANSACTIONS`: the statements of reservations and releases on the bare engine, one
// transaction after the other, nothing around them. Prints the rate.
import Libsql from 'libsql';
import { nodeLabel } from './installation.ts';

const [database = '', count = '0'] = process.argv.slice(2);
const transactions = Number(count);
const db = new Libsql(database);
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
for (let index = 0; index < transactions; index += 1) {
  const isReserving = index % 2 === 0;
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
process.stdout.write(JSON.stringify({ perSecond: transactions / seconds, cpuUs: (user + system) / transactions }));
