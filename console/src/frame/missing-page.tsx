import { Link } from '@tanstack/react-router';
import { Card } from '../ui/card.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, Failure } from '../ui/states.tsx';

const title = 'There is no page here';

const ToOverview = () => (
  <Link to="/" className="text-accent underline">
    Go to the overview
  </Link>
);

/** There is no page at this address, within what is around every page. */
export const MissingPage = () => (
  <Page title={title}>
    <Card>
      <Empty title="Nothing has this address">
        <ToOverview />
      </Empty>
    </Card>
  </Page>
);

/** The same where nothing is around it. */
export const LoneMissingPage = () => (
  <main className="grid h-full place-items-center">
    <Empty title={title}>
      <ToOverview />
    </Empty>
  </main>
);

/** The page could not be shown at all. */
export const FailedPage = ({ error }: { readonly error: unknown }) => (
  <main className="grid h-full place-items-center">
    <Failure error={error instanceof Error ? error : new Error(String(error))} onRetry={() => location.reload()} />
  </main>
);
