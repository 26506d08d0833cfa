import type { ReactNode } from 'react';
import { ShownSecret } from '../ui/shown-secret.tsx';

interface ReceiverSecretProps {
  readonly title: string;
  readonly secret: string;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** What a receiver of webhooks verifies messages with. */
export const ReceiverSecret = ({ title, secret, children, onClose }: ReceiverSecretProps) => (
  <ShownSecret title={title} secret={secret} name="the secret" onClose={onClose}>
    <p>
      The receiver verifies messages with this secret. This is the only time that it is shown: nobody can look it up
      later.
    </p>
    {children}
  </ShownSecret>
);
