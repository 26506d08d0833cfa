import { Menu } from '@base-ui/react/menu';
import { Link } from '@tanstack/react-router';
import { Check, Columns3 } from 'lucide-react';
import { useMemo } from 'react';
import type { NodeOverview } from '../api/client.ts';
import { Badge } from '../ui/badge.tsx';
import type { Column } from '../ui/data-table.tsx';
import { useKeptNames } from '../ui/kept-choice.ts';
import { menuItemLook, menuLook } from '../ui/menu-look.ts';
import { metadataLabels } from '../ui/metadata-labels.ts';
import { NetworkChips } from '../ui/network-chip.tsx';
import { sentenceOf } from '../ui/states.tsx';
import { metadataText, networksOf, stateWords } from '../ui/node-state.ts';
import type { NodeRow, Shown } from './nodes-search.ts';

/** What a choice of columns needs. */
interface Choice {
  readonly all: readonly Column<NodeRow>[];
  readonly shown: readonly string[];
  /** null: as it was before anybody chose. */
  readonly onChoose: (names: readonly string[] | null) => void;
}

/** Which columns are shown. The first, with the names, always is. */
export const ColumnChoice = ({ all, shown, onChoose }: Choice) => (
  <Menu.Root>
    <Menu.Trigger className="inline-flex h-8 items-center gap-1.5 rounded-control border border-line bg-panel px-2.5 hover:bg-sunken">
      <Columns3 size={14} aria-hidden />
      Columns
    </Menu.Trigger>
    <Menu.Portal>
      <Menu.Positioner sideOffset={4} align="end" className="z-20">
        <Menu.Popup className={`max-h-[60dvh] overflow-auto ${menuLook}`}>
          {all.slice(1).map(({ name, heading }) => (
            <Menu.CheckboxItem
              key={name}
              checked={shown.includes(name)}
              onCheckedChange={(isChecked) =>
                onChoose(isChecked ? [...shown, name] : shown.filter((each) => each !== name))
              }
              className={`${menuItemLook} gap-2`}
            >
              <span className="w-4">
                <Menu.CheckboxItemIndicator>
                  <Check size={14} aria-hidden />
                </Menu.CheckboxItemIndicator>
              </span>
              {heading}
            </Menu.CheckboxItem>
          ))}
          <Menu.Separator className="my-1 border-t border-line" />
          <Menu.Item className={menuItemLook} onClick={() => onChoose(null)}>
            As at first
          </Menu.Item>
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  </Menu.Root>
);

/** Up to three kinds of metadata that most nodes have are shown at first. */
const mostMetadata = 3;

/** The columns that are shown, in their own order, and the choice of them, which this browser keeps. */
export const useColumns = (
  nodes: readonly NodeOverview[],
  show: Shown,
): { readonly columns: readonly Column<NodeRow>[]; readonly choice: Choice } => {
  const [kept, keep] = useKeptNames('corral.nodes.columns');
  return useMemo(() => {
    const labels = metadataLabels(nodes);
    const common = labels.filter(({ count }) => count * 2 >= nodes.length).slice(0, mostMetadata);
    const all = [...ownColumns, ...labels.map(({ label }) => metadataColumn(label))];
    const atFirst =
      show === 'blocked'
        ? ['state', 'project', 'networks']
        : ['state', 'project', 'networks', ...common.map(({ label }) => `metadata.${label}`)];
    // Nobody looks for blocked nodes without wanting to know why they are.
    const shown = [...(kept ?? atFirst), ...(show === 'blocked' ? ['why'] : [])];
    const columns = all.filter(({ name }, index) => index === 0 || shown.includes(name));
    return { columns, choice: { all, shown, onChoose: keep } };
  }, [nodes, show, kept, keep]);
};

const metadataColumn = (label: string): Column<NodeRow> => ({
  name: `metadata.${label}`,
  heading: label,
  width: '110px',
  sortsBy: ({ node }) => metadataText(node?.metadata[label]),
  cell: ({ node }) => {
    const text = metadataText(node?.metadata[label]);
    return (
      <span className="truncate font-mono text-fine" title={text}>
        {text}
      </span>
    );
  },
});

const macsOf = (node: NodeOverview | null): string => (node?.nics ?? []).map(({ macaddr }) => macaddr).join(' ');

/** What keeps a node where it is, but not what its own project can mend. */
const whyBlocked = ({ node }: NodeRow): string =>
  (node?.blocked ?? [])
    .filter(({ kind }) => kind === 'gate' || kind === 'port' || kind === 'switch')
    .map(sentenceOf)
    .join('\n');

const ownColumns: readonly Column<NodeRow>[] = [
  {
    name: 'node',
    heading: 'Node',
    width: '15%',
    sortsBy: ({ name }) => name,
    cell: ({ name, node }) =>
      node === null ? (
        <span className="truncate font-mono text-dim">{name}</span>
      ) : (
        <Link to="/nodes/$node" params={{ node: name }} className="truncate font-mono text-accent hover:underline">
          {name}
        </Link>
      ),
  },
  {
    name: 'state',
    heading: 'State',
    width: '110px',
    sortsBy: ({ state }) => state,
    cell: (row) => <StateCell row={row} />,
  },
  {
    name: 'why',
    heading: 'Why blocked',
    width: '36%',
    sortsBy: whyBlocked,
    cell: (row) => (
      <span className="truncate" title={whyBlocked(row)}>
        {whyBlocked(row)}
      </span>
    ),
  },
  {
    name: 'project',
    heading: 'Project',
    width: '16%',
    sortsBy: ({ node }) => node?.project ?? '',
    cell: ({ node }) =>
      node === null ? (
        <span className="text-dim">another project</span>
      ) : (
        <span className="truncate">{node.project ?? <span className="text-dim">–</span>}</span>
      ),
  },
  {
    name: 'networks',
    heading: 'Networks',
    sortsBy: ({ node }) =>
      node === null
        ? ''
        : networksOf(node)
            .map(({ network }) => network)
            .join(' '),
    cell: ({ node }) => (node === null ? null : <NetworkChips networks={networksOf(node)} />),
  },
  {
    name: 'mac',
    heading: 'MAC addresses',
    sortsBy: ({ node }) => macsOf(node),
    cell: ({ node }) => (
      <span className="truncate font-mono text-fine" title={macsOf(node)}>
        {macsOf(node)}
      </span>
    ),
  },
  {
    name: 'nics',
    heading: 'Nics',
    width: '70px',
    sortsBy: ({ node }) => node?.nics.length ?? 0,
    cell: ({ node }) => node?.nics.length,
  },
];

const StateCell = ({ row }: { readonly row: NodeRow }) => {
  const { state } = row;
  if (state === 'blocked')
    return (
      <span title={whyBlocked(row)}>
        <Badge tone="warn">blocked</Badge>
      </span>
    );
  return <span className={state === 'free' ? 'text-dim' : ''}>{stateWords[state]}</span>;
};
