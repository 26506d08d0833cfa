import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { sessionEnd } from '../api/session-end.ts';
import { Dialog } from '../ui/dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** The session ended while a page was open: sign in here, and nothing on the page is lost. */
export const SignInAgain = () => {
  const isOver = useSyncExternalStore(sessionEnd.subscribe, () => sessionEnd.isOver);
  const queries = useQueryClient();
  return (
    <Dialog title="Your session has ended" isOpen={isOver} onClose={() => undefined} mustAnswer>
      <p className="mb-4 text-dim">Sign in again to go on where you were.</p>
      <SignInForm
        onSignedIn={() => {
          sessionEnd.set(false);
          void queries.invalidateQueries();
        }}
      />
    </Dialog>
  );
};
