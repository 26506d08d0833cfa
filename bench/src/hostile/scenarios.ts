import { randomBytes } from 'node:crypto';
import Libsql from 'libsql';
import type { Figure } from '../report.ts';
import { say } from '../options.ts';
import { call, createInstallation, nodeLabel, seedNodes, type Installation } from '../installation.ts';
import { blockFigure, type Metered, startMetered } from './metered.ts';
import { openStream, sendRaw, type Stream } from './raw.ts';
import { hostileRequests } from './requests.ts';

/** How much of each. */
export interface Extent {
  readonly nodes: number;
  /** How often each request is sent. */
  readonly requests: number;
  readonly seconds: number;
  readonly oldEvents: number;
}

const streams = 30;
const busyCallers = 4;
const deadSwitches = 8;
const tenant = { project: 'busy', user: 'tenant', password: 'a password of theirs' };
const asTenant = `Basic ${btoa(`${tenant.user}:${tenant.password}`)}`;

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What hostile requests and readers do to the event loop of the service, one scenario after the other. */
export const measureBlocks = async (extent: Extent): Promise<readonly Figure[]> => {
  const installation = await createInstallation({ CORRAL_LIMITS_STREAMS_PER_ADDRESS: '0' });
  const figures: Figure[] = [];
  let service = await startMetered(installation);
  try {
    await prepare(service.url);
    await service.stop();
    seedNodes(installation, extent.nodes);
    service = await startMetered(installation);
    const reached = await connectNodes(installation, service.url);
    await after(1_000);
    await service.blocks();
    figures.push(...(await besideRequests(service, extent)));
    figures.push(await besideStreams('(e) 30 streams, one busy tenant', service, extent, {}));
    figures.push(await besideStreams('(f) 30 readers that take nothing', service, extent, { reads: false }));
    figures.push(await besideReach('(g) reach on dead switches', service, extent, reached));
    figures.push(await besideLock('(h) another process has the file locked', installation, service, extent));
    await service.stop();
    seedEvents(installation, extent.oldEvents);
    service = await startMetered(installation);
    await after(1_000);
    await service.blocks();
    const old = `${extent.oldEvents.toLocaleString('en')} old events`;
    figures.push(await besideStreams(`(i) 30 streams, ${old}`, service, extent, {}));
    figures.push(await besideStreams(`(j) 30 streams from the first of ${old}`, service, extent, { after: 1 }));
    figures.push(
      await besideStreams(`(k) the same, readers that take nothing`, service, extent, { after: 1, reads: false }),
    );
    figures.push(await besideSearches(`(l) searches in ${old}`, service, extent));
    return figures;
  } finally {
    await service.stop();
    await installation.remove();
  }
};

const prepare = async (url: string): Promise<void> => {
  await call(url, 'PUT', `/project/${tenant.project}`);
  await call(url, 'PUT', `/auth/basic/user/${tenant.user}`, { password: tenant.password });
  await call(url, 'POST', `/auth/basic/user/${tenant.user}/add_project`, { project: tenant.project });
};

/** Every request several times, a few at once; the worst of all is shown with its name. */
const besideRequests = async (service: Metered, { requests }: Extent): Promise<readonly Figure[]> => {
  const figures: Figure[] = [];
  for (const request of hostileRequests) {
    const answers = new Set<string>();
    for (let count = 0; count < requests; count += 4) {
      const some = Array.from({ length: 4 }, (_, at) => sendRaw(service.url, request.bytes(count + at)));
      for (const answer of await Promise.all(some)) answers.add(answer.split(' ')[1] ?? 'none');
    }
    const seen = await service.blocks();
    say(`  ${request.what}: ${Math.round(seen.worked)} ms, answered with ${[...answers].join(', ')}`);
    figures.push(blockFigure(`(d) ${request.what}`, seen));
  }
  return figures.toSorted((a, b) => b.measured - a.measured).slice(0, 5);
};

/** Makes and deletes networks as fast as it can. */
const beBusy = async (url: string, over: { readonly isOver: boolean }): Promise<number> => {
  let changes = 0;
  const caller = async (): Promise<void> => {
    while (!over.isOver) {
      const path = `${url}/v0/network/net-${randomBytes(6).toString('hex')}`;
      const headers = { authorization: asTenant };
      const body = JSON.stringify({ owner: tenant.project, access: tenant.project, net_id: '' });
      await fetch(path, { method: 'PUT', headers, body }).then((answer) => answer.arrayBuffer());
      await fetch(path, { method: 'DELETE', headers }).then((answer) => answer.arrayBuffer());
      changes += 2;
    }
  };
  await Promise.all(Array.from({ length: busyCallers }, caller));
  return changes;
};

const besideStreams = async (
  what: string,
  service: Metered,
  { seconds }: Extent,
  options: { readonly after?: number; readonly reads?: boolean },
): Promise<Figure> => {
  const open: Stream[] = Array.from({ length: streams }, () =>
    openStream(service.url, asTenant, { reads: true, ...options }),
  );
  const over = { isOver: false };
  const busy = beBusy(service.url, over);
  await after(seconds * 1_000);
  over.isOver = true;
  const changes = await busy;
  const seen = await service.blocks();
  const received = open.reduce((sum, stream) => sum + stream.received(), 0);
  for (const stream of open) stream.close();
  say(`  ${what}: ${changes} changes, ${Math.round(received / 1000)} kB received, ${Math.round(service.memory())} MB`);
  return blockFigure(what, seen);
};

/** A network of the tenant on a node of each of some switches, which then answer no more. */
const connectNodes = async (installation: Installation, url: string): Promise<string> => {
  await call(url, 'PUT', '/network/reached', { owner: tenant.project, access: tenant.project, net_id: '' });
  for (let index = 0; index < deadSwitches; index += 1) {
    const [node, label] = [nodeLabel(index), `dead-${index}`];
    const port = `${node}/eth9`;
    await call(url, 'PUT', `/switch/${label}`, { type: 'mock', hostname: label, username: 'u', password: 'p' });
    await call(url, 'PUT', `/node/${node}/nic/eth9`, { macaddr: '52:54:00:00:00:09' });
    await call(url, 'PUT', `/switch/${label}/port/${port}`);
    await call(url, 'POST', `/switch/${label}/port/${port}/connect_nic`, { node, nic: 'eth9' });
    await call(url, 'POST', `/project/${tenant.project}/connect_node`, { node });
    const { status_id: id } = (await call(url, 'POST', `/node/${node}/nic/eth9/connect_network`, {
      network: 'reached',
    })) as { status_id: string };
    const deadline = performance.now() + 10_000;
    while (performance.now() < deadline) {
      const { status } = (await call(url, 'GET', `/networking_action/${id}`)) as { status: string };
      if (status !== 'PENDING') break;
      await after(50);
    }
    await installation.misbehave(label, { unreachable: true });
  }
  const made = await fetch(`${url}/v0/auth/token/reader`, {
    method: 'PUT',
    headers: { authorization: asTenant },
    body: JSON.stringify({ read_only: true, project: tenant.project }),
  });
  const { token } = (await made.json()) as { token: string };
  return `Bearer ${token}`;
};

const besideReach = async (
  what: string,
  service: Metered,
  { seconds }: Extent,
  authorization: string,
): Promise<Figure> => {
  const statuses = new Map<number, number>();
  const end = performance.now() + seconds * 1_000;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      const answer = await fetch(`${service.url}/v0/network/reached/reach`, { headers: { authorization } });
      await answer.arrayBuffer();
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: busyCallers }, caller));
  say(`  ${what}: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}`);
  return blockFigure(what, await service.blocks());
};

/** Another program writes to the database file for a while, and everybody asks and changes meanwhile. */
const besideLock = async (
  what: string,
  installation: Installation,
  service: Metered,
  { seconds }: Extent,
): Promise<Figure> => {
  const other = new Libsql(installation.database);
  const over = { isOver: false };
  const busy = beBusy(service.url, over);
  const end = performance.now() + seconds * 1_000;
  let locks = 0;
  while (performance.now() < end) {
    try {
      other.exec('begin immediate');
      locks += 1;
      await after(700);
      other.exec('commit');
    } catch {
      // The service has it.
    }
    await after(20);
  }
  over.isOver = true;
  other.close();
  const changes = await busy;
  say(`  ${what}: ${locks} times for 0.7 s, ${changes} changes`);
  return blockFigure(what, await service.blocks());
};

/** Filters that match nothing, and pages of everything. */
const besideSearches = async (what: string, service: Metered, { seconds }: Extent): Promise<Figure> => {
  const searches = ['type=none', 'limit=1000', 'node=none', 'after=1&limit=1000', 'caller=none', 'project=busy'];
  const end = performance.now() + seconds * 1_000;
  let count = 0;
  const caller = async (at: number): Promise<void> => {
    while (performance.now() < end) {
      const search = searches[(at + count) % searches.length] ?? '';
      count += 1;
      await fetch(`${service.url}/v0/events?${search}`, { headers: { authorization: asTenant } }).then((answer) =>
        answer.arrayBuffer(),
      );
    }
  };
  await Promise.all(Array.from({ length: busyCallers }, (_, at) => caller(at)));
  say(`  ${what}: ${count} searches`);
  return blockFigure(what, await service.blocks());
};

/** Events of long ago, most of them the tenant's, written straight into the tables of a stopped service. */
const seedEvents = (installation: Installation, count: number): void => {
  const db = new Libsql(installation.database);
  const { id } = db.prepare('select id from projects where label = ?').get([tenant.project]) as { id: number };
  const { last } = db.prepare('select coalesce(max(id), 0) as last from events').get([]) as { last: number };
  const rows = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  db.exec('begin');
  db.exec(
    `insert into events (id, at, type, caller, project, network, detail)
     ${rows} select ${last} + i, 1700000000000 + i, 'network_create', 'tenant', 'busy', 'net-' || i, '{}' from n`,
  );
  db.exec(
    `insert into event_projects (event_id, project_id, project) ${rows} select ${last} + i, ${id}, 'busy' from n`,
  );
  db.exec('commit');
  db.close();
};
