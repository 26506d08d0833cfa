import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { sessionEnd } from '../api/session-end.ts';
import { SignInForm } from '../frame/sign-in-form.tsx';
import { Mark } from '../ui/mark.tsx';

/** Leads to where one was going. */
export const SignInPage = () => {
  const { to = '/' } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  useEffect(() => {
    document.title = 'Sign in – Corral';
  }, []);
  return (
    <main className="grid min-h-full place-items-center p-4">
      <div className="grid w-full max-w-80 gap-5 rounded-card border border-line bg-panel p-6">
        <h1 className="flex items-center gap-2.5 text-title font-bold">
          <Mark />
          Corral
        </h1>
        <SignInForm
          to={to}
          onSignedIn={() => {
            sessionEnd.set(false);
            void navigate({ href: to, replace: true });
          }}
        />
      </div>
    </main>
  );
};
