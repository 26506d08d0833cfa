import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Command } from './command.tsx';
import { Dialog } from './dialog.tsx';

interface ShownSecretProps {
  readonly title: string;
  readonly secret: string;
  /** What it is called when it is copied. */
  readonly name: string;
  /** What it is for. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** A secret, once: nobody can look it up later. */
export const ShownSecret = ({ title, secret, name, children, onClose }: ShownSecretProps) => (
  <Dialog title={title} isOpen onClose={onClose} mustAnswer>
    <div className="grid gap-4">
      {children}
      <div className="flex min-w-0">
        <Command text={secret} name={name} />
      </div>
      <Button look="primary" className="justify-self-end" onClick={onClose}>
        I have stored it
      </Button>
    </div>
  </Dialog>
);
