import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { Command } from './command.tsx';
import { Dialog, focusedFirst } from './dialog.tsx';
import { formWords } from './form-words.ts';
import { sentenceOf } from './states.tsx';
import { useAction } from './use-action.ts';

interface ActionDialogProps {
  readonly title: string;
  /** What the button says that does it. */
  readonly label: string;
  readonly look?: ButtonProps['look'];
  readonly unless?: string | null;
  /** The command that does the same; null: there is none. */
  readonly command: string | null;
  readonly run: () => Promise<unknown>;
  /** Keys of what is old afterwards, whether or not an event says so to this person. */
  readonly stale: readonly string[];
  readonly onDone?: () => void;
  readonly onClose: () => void;
  /** What will happen to what; or the fields, which show the refusal that they caused. */
  readonly children: ReactNode | ((refusal: string | null) => ReactNode);
}

/** Asks before something is done, does it, and says why not. It is there as long as it is drawn. */
export const ActionDialog = (props: ActionDialogProps) => {
  const { title, label, look = 'primary', unless = null, command, run, stale, onClose, onDone = onClose } = props;
  const queries = useQueryClient();
  const action = useAction({
    mutationFn: run,
    onSuccess: onDone,
    onSettled: () => {
      for (const key of stale) void queries.invalidateQueries({ queryKey: [key] });
    },
  });
  const refusal = action.error && sentenceOf(action.error);
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <form
        className="grid gap-4"
        onChange={action.forget}
        onSubmit={(event) => {
          event.preventDefault();
          if (unless === null) action.start();
        }}
      >
        {typeof props.children === 'function' ? props.children(refusal) : props.children}
        {typeof props.children !== 'function' && refusal !== null && (
          <p role="alert" className="text-bad">
            {formWords(refusal)}
          </p>
        )}
        {command !== null && (
          <div className="flex min-w-0">
            <Command text={command} />
          </div>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button {...(look === 'danger' ? focusedFirst : {})} onClick={onClose}>
            Cancel
          </Button>
          <Button
            {...(look === 'danger' ? {} : focusedFirst)}
            type="submit"
            look={look}
            unless={unless}
            isBusy={action.isPending}
          >
            {label}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};
