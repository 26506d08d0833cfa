import { type ReactNode, useState } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { Command } from './command.tsx';
import { Dialog, focusedFirst } from './dialog.tsx';
import { sentenceOf } from './states.tsx';
import { useAction } from './use-action.ts';

interface AskProps extends Pick<ButtonProps, 'look' | 'unless' | 'aria-label' | 'className'> {
  /** What the button says that opens the question. */
  readonly label: ReactNode;
  readonly title: string;
  /** What will happen to what. */
  readonly children?: ReactNode;
  /** What the button says that does it. */
  readonly verb: string;
  readonly command: string;
  readonly run: () => Promise<unknown>;
}

/** A button whose work is done after a question, which says what will happen, and by which command too. */
export const Ask = ({ label, title, children, verb, command, run, ...button }: AskProps) => {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
    work.forget();
  };
  const work = useAction({ mutationFn: run, onSuccess: close });
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        <div className="grid gap-4">
          {children !== undefined && <div className="text-dim">{children}</div>}
          <Refusal error={work.error} />
          <Command text={command} />
          <div className="flex flex-wrap justify-end gap-2">
            <Button {...(button.look === 'danger' ? focusedFirst : {})} onClick={close}>
              Cancel
            </Button>
            <Button
              {...(button.look === 'danger' ? {} : focusedFirst)}
              look={button.look === 'danger' ? 'danger' : 'primary'}
              isBusy={work.isPending}
              onClick={work.start}
            >
              {verb}
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  );
};

/** Why something was not done, in the service's words. */
const Refusal = ({ error }: { readonly error: Error | null }) =>
  error === null ? null : (
    <p role="alert" className="rounded-control bg-bad-soft px-2.5 py-1.5 text-bad">
      {sentenceOf(error)}
    </p>
  );
