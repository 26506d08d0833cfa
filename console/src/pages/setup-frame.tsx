import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ForAdministrators } from '../ui/for-administrators.tsx';
import { Page } from '../ui/page.tsx';

/** A form of the set-up, for administrators, with the way back to its steps. */
export const SetUpForm = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <ForAdministrators title={title}>
    <Page
      title={title}
      heading={
        <>
          <Link to="/setup" className="font-normal text-dim hover:underline">
            Set-up
          </Link>
          {' / '}
          {title}
        </>
      }
    >
      <div className="grid max-w-2xl min-w-0 gap-4">{children}</div>
    </Page>
  </ForAdministrators>
);
