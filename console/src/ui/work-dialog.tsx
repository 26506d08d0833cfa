import type { ReactNode } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { Command } from './command.tsx';
import { Dialog, focusedFirst } from './dialog.tsx';
import { type Outcome, OutcomeList } from './outcomes.tsx';

/** Something that is known by its name. */
interface Named {
  readonly name: string;
}

/** What is done to each of several. */
export interface Work<T extends Named> {
  readonly things: readonly T[];
  readonly run: (thing: T) => Promise<unknown>;
}

/** How far it is, and how it is begun and left. */
export interface Progress {
  readonly outcomes: readonly Outcome[];
  readonly begin: <T extends Named>(work: Work<T>) => void;
  readonly close: () => void;
}

interface WorkDialogProps<T extends Named> extends Work<T> {
  readonly kind: 'node' | 'port';
  readonly verb: string;
  readonly command: string;
  readonly progress: Progress;
  readonly look?: ButtonProps['look'];
  /** Why it cannot be begun yet. */
  readonly unless?: string | null;
  /** What will happen, or what has to be chosen. */
  readonly children?: ReactNode;
}

/** Asks before something is done to several, does it, and shows how it went with each. */
export const WorkDialog = <T extends Named>(props: WorkDialogProps<T>) => {
  const { kind, verb, things, run, command, progress, look, unless, children } = props;
  const { outcomes, begin, close } = progress;
  const many = things.length === 1 ? `1 ${kind}` : `${things.length} ${kind}s`;
  const isAsking = outcomes.length === 0;
  const isDangerous = look === 'danger';
  return (
    <Dialog title={`${verb} ${many}`} isOpen onClose={close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isAsking && (unless ?? null) === null) begin({ things, run });
        }}
      >
        {isAsking ? (
          <>
            <p className="max-h-40 overflow-auto font-mono">{things.map(({ name }) => name).join(', ')}</p>
            {children}
          </>
        ) : (
          <OutcomeList label={`${verb} ${kind}s`} outcomes={outcomes} />
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
              {verb} {many}
            </Button>
          </div>
        )}
      </form>
    </Dialog>
  );
};
