import Libsql from 'libsql';
import { call, type Installation, nodeLabel, withNodes } from '../installation.ts';
import { isQuick, say } from '../options.ts';
import type { Measured } from '../process.ts';
import { type Figure, increaseFigure, type Results } from '../report.ts';

const nodes = 10_000;
const claims = isQuick ? 100 : 1_000;
const racks = 250;
const mostGpus = 8;

/** Of each node: which of 250 racks it is in, and 0 to 7 GPUs. */
const metadataOf = (index: number) => ({ rack: `r${index % racks}`, gpus: Math.floor(index / racks) % mostGpus });

/** Claims of one node each, by what they ask for. */
const selectors: Readonly<Record<string, (index: number) => object>> = {
  'a rack and GPUs, 20 nodes fit': (index) => ({
    match: { metadata: { rack: { equals: `r${index % racks}` }, gpus: { at_least: 4 } } },
  }),
  'one of 10 racks, spread, 400 nodes fit': (index) => ({
    match: { metadata: { rack: { one_of: Array.from({ length: 10 }, (_, at) => `r${(index + at) % racks}`) } } },
    prefer: { spread: 'rack' },
  }),
  'GPUs, 5,000 nodes fit': () => ({ match: { metadata: { gpus: { at_least: 4 } } } }),
  'anything, 10,000 nodes fit': () => ({}),
};

/** How the service stores a number is the service's business: it is given one of each, and the rows are copied. */
const seedNumbers = async ({ url }: Measured): Promise<void> => {
  for (let gpus = 0; gpus < mostGpus; gpus += 1) {
    await call(url, 'PUT', `/node/${nodeLabel(gpus)}/metadata/number`, { value: gpus });
  }
};

const seedMetadata = ({ database }: Installation): void => {
  const db = new Libsql(database);
  db.exec('begin');
  const node = db.prepare('update nodes set metadata = ? where label = ?');
  const rack = db.prepare('insert into node_metadata (node_id, key, text) select id, ?, ? from nodes where label = ?');
  const gpus = db.prepare(`insert into node_metadata (node_id, key, text, number)
    select nodes.id, 'gpus', given.text, given.number from nodes join node_metadata as given
      on given.key = 'number' and given.text = ? where nodes.label = ?`);
  for (let index = 0; index < nodes; index += 1) {
    const metadata = metadataOf(index);
    node.run([JSON.stringify(metadata), nodeLabel(index)]);
    rack.run(['rack', metadata.rack, nodeLabel(index)]);
    gpus.run([String(metadata.gpus), nodeLabel(index)]);
  }
  db.exec(`delete from node_metadata where key = 'number'`);
  db.exec('commit');
  db.close();
};

/** Processor time of one call, in µs. What it reserved is given back outside the measurement. */
const measured = async (service: Measured, reserve: (index: number) => Promise<string>): Promise<number> => {
  let cpuMs = 0;
  for (let from = 0; from < claims; from += batch) {
    const before = service.cpuMs();
    const taken: string[] = [];
    for (let index = from; index < from + batch; index += 1) taken.push(await reserve(index));
    cpuMs += service.cpuMs() - before;
    for (const node of taken) await call(service.url, 'POST', '/project/bench/detach_node', { node });
  }
  return (cpuMs / claims) * 1000;
};
const batch = 50;

const claim = async (service: Measured, body: object): Promise<string> => {
  const answer = await call(service.url, 'POST', '/project/bench/claim', { count: 1, ...body });
  return (answer as { nodes: readonly string[] }).nodes[0] ?? '';
};

/** Claims over 10,000 free nodes on SQLite, beside project_connect_node, which is given the name. */
export const measure = (): Promise<Results> =>
  withNodes(nodes, async (installation, first) => {
    await seedNumbers(first);
    await first.stop();
    seedMetadata(installation);
    const service = await installation.start();
    try {
      await call(service.url, 'PUT', '/project/bench');
      const connect = async (index: number): Promise<string> => {
        const node = nodeLabel((index * 7) % nodes);
        await call(service.url, 'POST', '/project/bench/connect_node', { node });
        return node;
      };
      await measured(service, connect);
      const figures: Figure[] = [];
      for (const [what, bodyOf] of Object.entries(selectors)) {
        say(`claims by ${what}`);
        const byName = await measured(service, connect);
        const byMatch = await measured(service, (index) => claim(service, bodyOf(index)));
        figures.push(increaseFigure(`claim by ${what}, processor time`, [byMatch, byName], 'µs', null));
      }
      return { figures };
    } finally {
      await service.stop();
    }
  });
