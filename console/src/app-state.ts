import { AuthorizationError } from '@corral/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { corral } from './api/client.ts';
import { LiveFeed } from './api/live.ts';
import { NotSignedIn } from './api/not-signed-in.ts';
import { sessionEnd } from './api/session-end.ts';

/** A refusal may be about the call, or about who makes it: only in the second case is nobody signed in any more. */
const noteRefusal = (error: Error): void => {
  if (error instanceof NotSignedIn) sessionEnd.set(true);
  if (!(error instanceof AuthorizationError)) return;
  corral.showSession().then(
    ({ caller }) => {
      if (caller === null) sessionEnd.set(true);
    },
    // The service does not answer now: the page says so by itself.
    () => undefined,
  );
};

/** What was read of the service. It stays good until the live feed says otherwise. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noteRefusal }),
  mutationCache: new MutationCache({ onError: noteRefusal }),
  defaultOptions: {
    queries: { staleTime: Infinity, retry: false, refetchOnWindowFocus: false, refetchOnReconnect: true },
  },
});

export const live = new LiveFeed(queries);
