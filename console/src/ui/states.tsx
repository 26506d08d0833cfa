import { AuthorizationError } from '@corral/client';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './button.tsx';

/** There is nothing here, and what to do about it. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className="grid justify-items-center gap-1.5 px-4 py-8 text-center">
    <p className="font-medium">{title}</p>
    {children !== undefined && <div className="max-w-lg text-dim">{children}</div>}
  </div>
);

/** What the service said, in its own words. */
export const sentenceOf = (error: Pick<Error, 'message'>): string =>
  error.message.charAt(0).toUpperCase() + error.message.slice(1);

/** It could not be shown: why, and a way to try again. */
export const Failure = ({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) =>
  error instanceof AuthorizationError ? (
    <Forbidden sentence={sentenceOf(error)} />
  ) : (
    <div role="alert" className="grid justify-items-center gap-3 px-4 py-8 text-center">
      <p className="font-medium">This could not be shown</p>
      <p className="max-w-xl text-dim">{sentenceOf(error)}</p>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );

/** It is not for the person who looks. */
export const Forbidden = ({ sentence }: { readonly sentence: string }) => (
  <div role="alert" className="grid justify-items-center gap-3 px-4 py-8 text-center">
    <p className="font-medium">You may not see this</p>
    <p className="max-w-xl text-dim">{sentence}</p>
  </div>
);

/** Lines in the shape of what comes; only if it takes a moment. */
export const Skeleton = ({ rows = 5 }: { readonly rows?: number }) => {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div aria-busy="true" aria-label="Loading" role="status" className="grid gap-3 p-3.5">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={`h-4 rounded bg-line ${isDue ? 'animate-pulse' : 'opacity-0'}`} />
      ))}
    </div>
  );
};
