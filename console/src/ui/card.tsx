import type { ReactNode } from 'react';

/** A group of things under a heading, with what can be done about it on the right. */
export const Card = ({
  title,
  actions,
  children,
  className = '',
}: {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}) => (
  <section className={`min-w-0 rounded-card border border-line bg-panel ${className}`}>
    {title !== undefined && (
      <header className="flex min-h-10 flex-wrap items-center justify-between gap-2 border-b border-line px-3.5 py-1.5">
        <h2 className="font-semibold">{title}</h2>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
    )}
    {children}
  </section>
);
