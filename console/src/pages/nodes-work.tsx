import type { ReactNode } from 'react';
import { Button, type ButtonProps } from '../ui/button.tsx';
import { Command } from '../ui/command.tsx';
import { Dialog, focusedFirst } from '../ui/dialog.tsx';
import { type Outcome, OutcomeList } from '../ui/outcomes.tsx';
import type { NodeRow } from './nodes-search.ts';

/** What is done to each of several nodes. */
export interface Work {
  readonly nodes: readonly NodeRow[];
  readonly run: (node: NodeRow) => Promise<unknown>;
}

/** How far it is, and how it is begun and left. */
export interface Progress {
  readonly outcomes: readonly Outcome[];
  readonly begin: (work: Work) => void;
  readonly close: () => void;
}

interface WorkDialogProps extends Work {
  readonly verb: string;
  readonly command: string;
  readonly progress: Progress;
  readonly look?: ButtonProps['look'];
  /** Why it cannot be begun yet. */
  readonly unless?: string | null;
  /** What will happen, or what has to be chosen. */
  readonly children?: ReactNode;
}

const count = (nodes: readonly unknown[]): string => (nodes.length === 1 ? '1 node' : `${nodes.length} nodes`);

/** Asks before something is done to several nodes, does it, and shows how it went with each. */
export const WorkDialog = ({ verb, nodes, run, command, progress, look, unless, children }: WorkDialogProps) => {
  const { outcomes, begin, close } = progress;
  const isAsking = outcomes.length === 0;
  const isDangerous = look === 'danger';
  return (
    <Dialog title={`${verb} ${count(nodes)}`} isOpen onClose={close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isAsking && (unless ?? null) === null) begin({ nodes, run });
        }}
      >
        {isAsking ? (
          <>
            <p className="max-h-40 overflow-auto font-mono">{nodes.map(({ name }) => name).join(', ')}</p>
            {children}
          </>
        ) : (
          <OutcomeList label={`${verb} nodes`} outcomes={outcomes} />
        )}
        <div className="flex max-h-40 min-w-0 overflow-auto">
          <Command text={command} />
        </div>
        {isAsking && (
          <div className="flex flex-wrap justify-end gap-2">
            <Button {...(isDangerous ? focusedFirst : {})} onClick={close}>
              Cancel
            </Button>
            <Button type="submit" look={look ?? 'primary'} unless={unless} {...(isDangerous ? {} : focusedFirst)}>
              {verb} {count(nodes)}
            </Button>
          </div>
        )}
      </form>
    </Dialog>
  );
};
