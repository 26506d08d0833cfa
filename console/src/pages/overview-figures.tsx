import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Me } from '../api/client.ts';
import { allNodes, type AllNodes, allSwitches } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { Ago } from '../ui/ago.tsx';
import { isChanging, stateOf } from '../ui/node-state.ts';
import { ShareBar } from '../ui/share-bar.tsx';
import { isTrouble } from '../ui/switch-state.ts';

/** How it stands, in a few numbers; each leads to what it counts. */
export const Figures = () => {
  const who = useMe();
  const nodes = useQuery(allNodes).data;
  const counts = nodes === undefined ? null : countsOf(nodes, who);
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(11rem,40%),1fr))] gap-4 max-md:gap-2.5">
      <Figure show="free" number={counts?.free} about={`free of ${counts?.all ?? '…'} nodes`}>
        <ShareBar part={counts?.free ?? 0} of={counts?.all ?? 0} className="mt-2" />
      </Figure>
      <Figure show="mine" number={counts?.mine} about="in your projects" />
      <Figure show="used" number={counts?.used} about="reserved in all" />
      <Figure
        show="blocked"
        number={counts?.blocked}
        about={blockedWords(counts?.blocked ?? 0)}
        isTrouble={(counts?.blocked ?? 0) > 0}
      />
      <Figure show="changing" number={counts?.changing} about="changing their networks" />
      {who.admin && <SwitchFigure />}
    </div>
  );
};

const blockedWords = (count: number): string => {
  if (count === 0) return 'blocked';
  return count === 1 ? 'blocked: it cannot change hands' : 'blocked: they cannot change hands';
};

const countsOf = ({ nodes, others }: AllNodes, who: Pick<Me, 'projects'>) => {
  const states = nodes.map((node) => stateOf(node, who));
  const count = (state: string): number => states.filter((each) => each === state).length;
  return {
    all: nodes.length + others.length,
    free: count('free'),
    mine: count('mine'),
    used: count('used') + count('mine') + others.length,
    changing: nodes.filter(isChanging).length,
    blocked: nodes.filter(
      (node, index) => states[index] === 'blocked' || node.blocked?.some(({ kind }) => kind === 'port'),
    ).length,
  };
};

const cardLook =
  'grid content-start gap-0.5 rounded-card border bg-panel p-3.5 hover:border-line-strong transition-colors';

const Figure = ({
  show,
  number,
  about,
  isTrouble = false,
  children,
}: {
  readonly show: 'free' | 'mine' | 'used' | 'blocked' | 'changing';
  readonly number: number | undefined;
  readonly about: string;
  readonly isTrouble?: boolean;
  readonly children?: ReactNode;
}) => (
  <Link to="/nodes" search={{ show }} className={`${cardLook} ${isTrouble ? 'border-warn' : 'border-line'}`}>
    <span className={`text-figure font-bold ${isTrouble ? 'text-warn' : ''}`}>{number ?? '…'}</span>
    <span className="text-dim">{about}</span>
    {children}
  </Link>
);

const SwitchFigure = () => {
  const switches = useQuery(allSwitches).data?.switches;
  const answering = switches?.filter(({ state }) => !isTrouble(state)).length;
  const oldest = switches?.flatMap(({ swept_at }) => swept_at ?? []).sort()[0];
  const areSilent = switches !== undefined && answering !== switches.length;
  return (
    <Link
      to="/switches"
      search={areSilent ? { show: 'silent' } : {}}
      className={`${cardLook} ${areSilent ? 'border-warn' : 'border-line'}`}
    >
      <span className={`text-figure font-bold ${areSilent ? 'text-warn' : ''}`}>
        {answering ?? '…'} / {switches?.length ?? '…'}
      </span>
      <span className="text-dim">
        switches answering
        {oldest !== undefined && (
          <>
            {' · read '}
            <Ago at={oldest} />
          </>
        )}
      </span>
    </Link>
  );
};
