import type { ReactNode } from 'react';
import { useMe } from '../api/use-me.ts';
import { Card } from './card.tsx';
import { Page } from './page.tsx';
import { Forbidden } from './states.tsx';

/** A page for administrators; everybody else gets the reason, and no call is made. */
export const ForAdministrators = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => {
  const { admin, name } = useMe();
  if (admin) return children;
  return (
    <Page title={title}>
      <Card>
        <Forbidden sentence={`This page needs administrative access, which ${name} does not have.`} />
      </Card>
    </Page>
  );
};
