import { useDeferredValue, useMemo } from 'react';
import type { AllNodes } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { isChanging, metadataText, stateOf } from '../ui/node-state.ts';
import type { NodeRow, NodesSearch, Shown } from './nodes-search.ts';

/** Whether a row is among those that are asked for. */
const isShown = ({ state, node }: NodeRow, show: Shown): boolean => {
  if (show === 'all') return true;
  if (show === 'changing') return node !== null && isChanging(node);
  if (show === 'used') return state === 'used' || state === 'mine';
  if (show === 'blocked') return state === 'blocked' || (node?.blocked ?? []).some(({ kind }) => kind === 'port');
  return state === show;
};

export const countOf = (rows: readonly NodeRow[], show: Shown): number =>
  rows.filter((row) => isShown(row, show)).length;

/** All rows, those of others by name only. */
export const useRows = ({ nodes, others }: AllNodes): readonly NodeRow[] => {
  const who = useMe();
  return useMemo(
    () => [
      ...nodes.map((node) => ({ name: node.name, node, state: stateOf(node, who) })),
      ...others.map((name) => ({ name, node: null, state: 'used' as const })),
    ],
    [nodes, others, who],
  );
};

/** What one can search in: label, project, MAC addresses, networks and metadata. */
const wordsOf = ({ name, node }: NodeRow): string =>
  [
    name,
    node?.project ?? '',
    ...(node?.nics.flatMap(({ macaddr, networks }) => [
      macaddr,
      macaddr.replaceAll(':', ''),
      ...Object.values(networks),
    ]) ?? []),
    ...Object.entries(node?.metadata ?? {}).map(([key, value]) => `${key}=${metadataText(value)}`),
  ]
    .join(' ')
    .toLowerCase();

/** Those rows that fit the filter. */
export const useFound = (
  rows: readonly NodeRow[],
  { q = '', show = 'all', project }: NodesSearch,
): readonly NodeRow[] => {
  const text = useDeferredValue(q).toLowerCase();
  const words = useMemo(() => new Map(rows.map((row) => [row, wordsOf(row)])), [rows]);
  return useMemo(() => {
    const wanted = text.split(/\s+/);
    return rows.filter(
      (row) =>
        isShown(row, show) &&
        (project === undefined || row.node?.project === project) &&
        wanted.every((word) => words.get(row)?.includes(word)),
    );
  }, [rows, words, text, show, project]);
};
