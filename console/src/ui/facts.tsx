import type { ReactNode } from 'react';

/** A few facts side by side, each with its name above. */
export const Facts = ({ facts }: { readonly facts: Readonly<Record<string, ReactNode>> }) => (
  <dl className="flex flex-wrap gap-x-8 gap-y-3 p-3.5">
    {Object.entries(facts).map(([name, fact]) => (
      <div key={name} className="min-w-0">
        <dt className="text-fine text-dim">{name}</dt>
        <dd className="min-w-0">{fact}</dd>
      </div>
    ))}
  </dl>
);
