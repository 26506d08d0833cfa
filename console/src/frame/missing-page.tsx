import { Link } from '@tanstack/react-router';
import { Empty, Failure } from '../ui/states.tsx';

/** There is no page at this address. */
export const MissingPage = () => (
  <main className="grid h-full place-items-center">
    <Empty title="There is no such page">
      <Link to="/" className="text-accent underline">
        Go to the overview
      </Link>
    </Empty>
  </main>
);

/** The page could not be shown at all. */
export const FailedPage = ({ error }: { readonly error: unknown }) => (
  <main className="grid h-full place-items-center">
    <Failure error={error instanceof Error ? error : new Error(String(error))} onRetry={() => location.reload()} />
  </main>
);
