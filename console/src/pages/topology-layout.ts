import type { NetworkOverview, NodeOverview } from '../api/client.ts';
import { naturalOrder } from '../ui/natural-order.ts';

/** Something in the picture: a box with a name. */
export interface Box {
  readonly kind: 'switch' | 'node' | 'network';
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Networks that it is on; of a network, itself. */
  readonly networks: readonly string[];
}

/** A cable from a switch to a node, or the way of a node onto a network. */
export interface Line {
  readonly from: Box;
  readonly to: Box;
  /** What goes over it. A cable may carry several, or none. */
  readonly networks: readonly string[];
}

/** Everything where it is drawn. */
export interface Topology {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

/** What the overviews gave. */
interface Site {
  readonly nodes: readonly NodeOverview[];
  readonly networks: readonly NetworkOverview[];
  /** Names; none for tenants, who do not see them. */
  readonly switches: readonly string[];
}

const nodeSize = { width: 104, height: 26 } as const;
const switchSize = { width: 152, height: 32 } as const;
const networkSize = { width: 152, height: 28 } as const;
const gap = 8;
/** Between blocks, and between tiers. */
const wideGap = 48;

/** Nodes under the switch that their first cable goes to. */
interface Block {
  readonly on: string | null;
  readonly nodes: readonly NodeOverview[];
  readonly columns: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Three tiers: switches, below each the nodes that are plugged into it, and networks at the bottom. Blocks of nodes are
 * wrapped, so that the whole is about twice as wide as it is high.
 */
export const layOut = (site: Site): Topology => {
  const blocks = blocksOf(site);
  const area = blocks.reduce((sum, { width, height }) => sum + (width + wideGap) * (height + wideGap), 0);
  const width = Math.max(960, Math.sqrt(2 * area), ...blocks.map((block) => block.width));
  const boxes = new Map<string, Box>();
  const put = (box: Box): void => void boxes.set(keyOf(box.kind, box.name), box);
  const carried = carriedBy(site.nodes);
  let [x, y, rowHeight] = [0, 0, 0];
  for (const block of blocks) {
    if (x > 0 && x + block.width > width) {
      y += rowHeight + wideGap;
      x = 0;
      rowHeight = 0;
    }
    putBlock(block, { left: x, top: y }, carried, put);
    x += block.width + wideGap;
    rowHeight = Math.max(rowHeight, block.height);
  }
  const top = blocks.length === 0 ? 0 : y + rowHeight + wideGap * 1.5;
  const height = putNetworks(site.networks, width, top, put);
  return { boxes: [...boxes.values()], lines: linesOf(site, boxes), width, height };
};

const blocksOf = ({ nodes, switches }: Site): readonly Block[] => {
  const bySwitch = new Map<string | null, NodeOverview[]>(
    [...switches].sort(naturalOrder).map((name): [string, NodeOverview[]] => [name, []]),
  );
  for (const node of [...nodes].sort((a, b) => naturalOrder(a.name, b.name))) {
    const on = node.nics.find((nic) => nic.switch && bySwitch.has(nic.switch))?.switch ?? null;
    const block = bySwitch.get(on);
    if (block === undefined) bySwitch.set(on, [node]);
    else block.push(node);
  }
  return [...bySwitch].map(([on, inIt]) => {
    const columns = Math.max(1, Math.ceil(Math.sqrt(inIt.length / 4)));
    const rows = Math.ceil(inIt.length / columns);
    return {
      on,
      nodes: inIt,
      columns,
      width: Math.max(switchSize.width, columns * (nodeSize.width + gap) - gap),
      height: (on === null ? 0 : switchSize.height + wideGap / 2) + rows * (nodeSize.height + gap),
    };
  });
};

/** Networks by the switch that carries them, whichever block its nodes are in. */
const carriedBy = (nodes: readonly NodeOverview[]): ReadonlyMap<string, readonly string[]> => {
  const carried = new Map<string, Set<string>>();
  for (const nic of nodes.flatMap(({ nics }) => nics)) {
    if (!nic.switch) continue;
    const known = carried.get(nic.switch) ?? new Set();
    carried.set(nic.switch, known);
    for (const network of networksOn(nic)) known.add(network);
  }
  return new Map([...carried].map(([on, networks]) => [on, [...networks]]));
};

const putBlock = (
  { on, nodes, columns, width }: Block,
  { left, top }: { readonly left: number; readonly top: number },
  carried: ReadonlyMap<string, readonly string[]>,
  put: (box: Box) => void,
): void => {
  if (on !== null) {
    put({
      kind: 'switch',
      name: on,
      x: left + (width - switchSize.width) / 2,
      y: top,
      ...switchSize,
      networks: carried.get(on) ?? [],
    });
  }
  const under = on === null ? top : top + switchSize.height + wideGap / 2;
  nodes.forEach(({ name, nics }, index) =>
    put({
      kind: 'node',
      name,
      x: left + (index % columns) * (nodeSize.width + gap),
      y: under + Math.floor(index / columns) * (nodeSize.height + gap),
      ...nodeSize,
      networks: unique(nics.flatMap(networksOn)),
    }),
  );
};

/** Puts the last tier, and says where it ends. */
const putNetworks = (
  networks: readonly NetworkOverview[],
  width: number,
  top: number,
  put: (box: Box) => void,
): number => {
  const columns = Math.max(1, Math.floor((width + gap * 2) / (networkSize.width + gap * 2)));
  [...networks]
    .sort((a, b) => naturalOrder(a.name, b.name))
    .forEach(({ name }, index) =>
      put({
        kind: 'network',
        name,
        x: (index % columns) * (networkSize.width + gap * 2),
        y: top + Math.floor(index / columns) * (networkSize.height + gap * 2),
        ...networkSize,
        networks: [name],
      }),
    );
  return top + Math.ceil(networks.length / columns) * (networkSize.height + gap * 2);
};

const linesOf = ({ nodes }: Site, boxes: ReadonlyMap<string, Box>): readonly Line[] => {
  const lines: Line[] = [];
  for (const { name, nics } of nodes) {
    const node = boxes.get(keyOf('node', name));
    if (node === undefined) continue;
    for (const nic of nics) {
      const on = nic.switch ? boxes.get(keyOf('switch', nic.switch)) : undefined;
      if (on !== undefined) lines.push({ from: on, to: node, networks: networksOn(nic) });
    }
    for (const network of node.networks) {
      const to = boxes.get(keyOf('network', network));
      if (to !== undefined) lines.push({ from: node, to, networks: [network] });
    }
  }
  return lines;
};

type Nic = NodeOverview['nics'][number];
const networksOn = ({ networks }: Pick<Nic, 'networks'>): readonly string[] => Object.values(networks);
const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];
const keyOf = (kind: Box['kind'], name: string): string => `${kind} ${name}`;
