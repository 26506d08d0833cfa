import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SwitchOverview } from '../api/client.ts';
import { allNodes, type AllNodes, allSwitches } from '../api/queries.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Empty } from '../ui/states.tsx';

/** Something that blocks somebody. */
interface Need {
  readonly key: string;
  readonly kind: string;
  readonly tone: Tone;
  readonly rank: number;
  readonly where: { readonly switch: string } | { readonly node: string };
  readonly sentence: string;
}

/** Everything that blocks somebody, the worst first, with the way to what mends it. */
export const NeedsYou = () => {
  const nodes = useQuery(allNodes).data;
  return (
    <Card title="Needs you">
      <Loaded query={useQuery(allSwitches)}>
        {({ switches }) => <Needs needs={needsOf(switches, nodes)} hasSwitches={switches.length > 0} />}
      </Loaded>
    </Card>
  );
};

const mostShown = 12;

const Needs = ({ needs, hasSwitches }: { readonly needs: readonly Need[]; readonly hasSwitches: boolean }) =>
  needs.length === 0 ? (
    <Empty title={hasSwitches ? 'Nothing needs you' : 'There are no switches yet'}>
      {hasSwitches ? (
        'Every switch answers, and carries what is recorded.'
      ) : (
        <Link to="/setup/switch" className="text-accent underline">
          Add the first one
        </Link>
      )}
    </Empty>
  ) : (
    <ul>
      {needs.slice(0, mostShown).map(({ key, kind, tone, where, sentence }) => (
        <li
          key={key}
          className="grid grid-cols-[5.5rem_minmax(6rem,auto)_1fr] items-center gap-3 border-b border-line px-3.5 py-2 last:border-b-0"
        >
          <span>
            <Badge tone={tone}>{kind}</Badge>
          </span>
          {'switch' in where ? (
            <Link to="/switches/$switch" params={where} className="font-mono text-accent hover:underline">
              {where.switch}
            </Link>
          ) : (
            <Link to="/nodes/$node" params={where} className="font-mono text-accent hover:underline">
              {where.node}
            </Link>
          )}
          <span className="min-w-0">{sentence}</span>
        </li>
      ))}
      {needs.length > mostShown && (
        <li className="px-3.5 py-2 text-dim">and {needs.length - mostShown} more of the same kind</li>
      )}
    </ul>
  );

const ports = (count: number, are: string): string => `${count} ${count === 1 ? 'port' : 'ports'} ${are}`;

const needsOf = (switches: readonly SwitchOverview[], nodes: AllNodes | undefined): readonly Need[] => {
  const needs = switches.flatMap((each): Need[] => {
    const where = { switch: each.name };
    const need = (kind: string, tone: Tone, rank: number, sentence: string): Need => ({
      key: `${each.name} ${kind}`,
      kind,
      tone,
      rank,
      where,
      sentence,
    });
    return [
      ...(each.suspect > 0 ? [need('suspect', 'bad', 0, ports(each.suspect, 'in an unknown state'))] : []),
      ...(each.state === 'unreachable' ? [need('silent', 'bad', 1, each.fault ?? 'it does not answer')] : []),
      ...(each.drifting > 0
        ? [
            need(
              'drift',
              'warn',
              2,
              ports(
                each.drifting,
                each.drifting === 1 ? 'differs from what is recorded' : 'differ from what is recorded',
              ),
            ),
          ]
        : []),
      ...(each.state === 'duplicate'
        ? [need('duplicate', 'warn', 3, `the same device as switch ${each.duplicate_of ?? ''}; delete one of the two`)]
        : []),
      ...(each.in_doubt > 0
        ? [need('in doubt', 'warn', 4, ports(each.in_doubt, 'that an aborted session may still change'))]
        : []),
      ...(each.save_fault === null ? [] : [need('unsaved', 'warn', 5, each.save_fault)]),
      ...(each.unread > 0
        ? [need('unread', 'plain', 6, ports(each.unread, 'not read since a nic was connected'))]
        : []),
    ];
  });
  const stuck = (nodes?.nodes ?? []).flatMap(({ name, project, blocked }): Need[] => {
    const [first] = project === null ? (blocked ?? []).filter(({ kind }) => kind === 'switch' || kind === 'port') : [];
    return first === undefined
      ? []
      : [
          {
            key: `node ${name}`,
            kind: 'blocked',
            tone: 'warn',
            rank: 7,
            where: { node: name },
            sentence: first.message,
          },
        ];
  });
  return [...needs, ...stuck].sort((a, b) => a.rank - b.rank);
};
