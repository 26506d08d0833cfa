import { hoursOf } from '@corral/client';
import type { UsageLine } from './usage-lines.ts';

/** As many bars as one looks at; the table has all. */
const mostBars = 12;

const kinds = [
  { name: 'reserved', tone: 'bg-accent' },
  { name: 'powered', tone: 'bg-ok' },
] as const;

/** The largest of them as bars. It is a picture: what it says stands in the table. */
export const UsageChart = ({ lines, by }: { readonly lines: readonly UsageLine[]; readonly by: string }) => {
  const largest = [...lines].sort((one, other) => other.reserved - one.reserved).slice(0, mostBars);
  const longest = Math.max(...largest.flatMap(({ reserved, powered }) => [reserved, powered]));
  const rest = lines.length - largest.length;
  return (
    <figure
      role="img"
      aria-label={`Hours reserved and powered by ${by}, as bars; the table has the figures`}
      className="grid gap-3 p-3.5"
    >
      <div aria-hidden className="flex flex-wrap gap-x-4 gap-y-1 text-fine text-dim">
        {kinds.map(({ name, tone }) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span className={`size-2.5 rounded-[2px] ${tone}`} />
            {name}
          </span>
        ))}
      </div>
      <div aria-hidden className="grid gap-2.5">
        {largest.map((line) => (
          <div key={line.key} className="grid gap-0.5 sm:grid-cols-[minmax(6rem,12rem)_1fr] sm:gap-3">
            <span className="truncate font-mono sm:text-right" title={line.name}>
              {line.name}
            </span>
            <span className="grid content-center gap-0.5">
              {kinds.map(({ name, tone }) => (
                <span key={name} className="flex items-center gap-2">
                  <span
                    className={`h-2.5 min-w-px rounded-r-[2px] ${tone}`}
                    style={{ width: `calc((100% - 6rem) * ${longest === 0 ? 0 : line[name] / longest})` }}
                  />
                  <span className="text-fine whitespace-nowrap text-dim">{hoursOf(line[name])} h</span>
                </span>
              ))}
            </span>
          </div>
        ))}
      </div>
      {rest > 0 && (
        <figcaption aria-hidden className="text-fine text-dim">
          The {largest.length} with most hours; the table has {rest} more.
        </figcaption>
      )}
    </figure>
  );
};
