import { NotFoundError } from '@corral/client';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure, Skeleton } from './states.tsx';

/** What was asked for, once it is there; until then its shape, or why it is not. What is there stays while it is asked for again. */
export const Loaded = <T,>({
  query,
  rows,
  missing,
  children,
}: {
  readonly query: UseQueryResult<T>;
  readonly rows?: number;
  /** What is shown of a thing that does not exist, or no more. */
  readonly missing?: ReactNode;
  readonly children: (data: T) => ReactNode;
}) => {
  if (missing !== undefined && query.error instanceof NotFoundError) return missing;
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton {...(rows === undefined ? {} : { rows })} />;
};
