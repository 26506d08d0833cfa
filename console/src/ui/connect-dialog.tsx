import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** Opens the form that connects a nic or an hnic to a network. */
export const ConnectDialog = ({
  label,
  of,
  unless,
  children,
}: {
  readonly label: string;
  /** The node or headnode that it is in. */
  readonly of: string;
  readonly unless: string | null;
  readonly children: (close: () => void) => ReactNode;
}) => {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button className="h-7!" aria-label={`Connect ${label}`} unless={unless} onClick={() => setOpen(true)}>
        Connect…
      </Button>
      <Dialog title={`Connect ${label} of ${of}`} isOpen={isOpen} onClose={close}>
        {children(close)}
      </Dialog>
    </>
  );
};
