import { type ReactNode, useEffect } from 'react';

/** A page: its title for the browser, its heading, and what can be done at the top right. */
export const Page = ({
  title,
  heading = title,
  actions,
  children,
}: {
  readonly title: string;
  readonly heading?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) => {
  useEffect(() => {
    document.title = `${title} – Corral`;
  }, [title]);
  return (
    <div className="grid gap-4 p-4 sm:p-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-title font-semibold">{heading}</h1>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  );
};
