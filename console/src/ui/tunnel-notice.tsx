import type { TunnelState } from '../api/tunnel.ts';
import { Button } from './button.tsx';
import { sentenceOf } from './states.tsx';

/** How it is with the way to a machine, and what to do about it. It has a place of its own: nothing jumps. */
export const TunnelNotice = ({
  to,
  state,
  onConnect,
}: {
  readonly to: string;
  readonly state: TunnelState;
  readonly onConnect: () => void;
}) => (
  <div
    role="status"
    className={`flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1 ${looks[state.kind]}`}
  >
    {state.kind === 'connecting' && 'connecting…'}
    {state.kind === 'open' && (
      <>
        <span aria-hidden className="size-2 rounded-full bg-ok" /> connected to {to}
      </>
    )}
    {state.kind === 'lost' && <>{sentenceOf({ message: state.why })}; trying again…</>}
    {(state.kind === 'held' || state.kind === 'taken' || state.kind === 'over') && (
      <>
        <span>{sentenceOf({ message: state.why })}</span>
        <Button onClick={onConnect}>{ways[state.kind]}</Button>
      </>
    )}
  </div>
);

const ways = { held: 'Take it over', taken: 'Take it back', over: 'Open it again' } as const;

const looks: Readonly<Record<TunnelState['kind'], string>> = {
  connecting: 'text-dim',
  open: 'text-dim',
  lost: 'bg-warn-soft text-warn',
  held: 'bg-warn-soft text-warn',
  taken: 'bg-warn-soft text-warn',
  over: 'bg-warn-soft text-warn',
};
