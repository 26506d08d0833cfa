import { Outlet } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { Skeleton } from '../ui/states.tsx';
import { Navigation } from './navigation.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { TopBar } from './top-bar.tsx';

/** What is around every page. */
export const Frame = () => {
  const [isMenuOpen, setMenuOpen] = useState(false);
  return (
    <div className="grid h-full grid-cols-1 grid-rows-[auto_1fr] md:grid-cols-[212px_1fr]">
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-panel focus:p-2">
        Skip to the content
      </a>
      <Navigation isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} />
      <TopBar onMenu={() => setMenuOpen(true)} />
      <main id="content" tabIndex={-1} className="min-w-0 overflow-auto outline-none">
        <Suspense fallback={<Skeleton rows={8} />}>
          <Outlet />
        </Suspense>
      </main>
      <SignInAgain />
    </div>
  );
};
