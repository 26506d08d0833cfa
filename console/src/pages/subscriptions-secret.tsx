import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Command } from '../ui/command.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** A secret, once: nobody can look it up later. */
export const ShownSecret = ({
  title,
  secret,
  children,
  onClose,
}: {
  readonly title: string;
  readonly secret: string;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}) => (
  <Dialog title={title} isOpen onClose={onClose} mustAnswer>
    <div className="grid gap-4">
      <p>
        The receiver verifies messages with this secret. This is the only time that it is shown: nobody can look it up
        later.
      </p>
      {children}
      <div className="flex min-w-0">
        <Command text={secret} name="the secret" />
      </div>
      <Button look="primary" className="justify-self-end" onClick={onClose}>
        I have stored it
      </Button>
    </div>
  </Dialog>
);
