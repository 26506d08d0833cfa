/** The other processes behind the same port. A scrape reaches one of them, and shows what all have counted. */
export interface MetricsPeers {
  /** The number of this process. */
  readonly number: number;
  /** How this process answers when another is asked. */
  readonly serve: (own: () => Promise<string>) => void;
  readonly others: () => Promise<readonly { readonly number: number; readonly text: string }[]>;
}

const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

/** Joins what several processes counted: each sample says of which, each metric is described once. */
export const joinMetrics = (parts: readonly { readonly number: number; readonly text: string }[]): string => {
  const families = new Map<string, { readonly about: string[]; readonly samples: string[] }>();
  for (const { number, text } of parts) {
    let current = '';
    for (const line of text.split('\n')) {
      const name = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1];
      if (name !== undefined) {
        current = name;
        const family = families.get(name) ?? { about: [], samples: [] };
        families.set(name, family);
        if (!family.about.includes(line)) family.about.push(line);
        continue;
      }
      const [, metric, labels, value] = sample.exec(line) ?? [];
      if (metric === undefined || value === undefined) continue;
      const all = [`process="${number}"`, ...(labels === undefined || labels === '' ? [] : [labels])].join(',');
      families.get(current)?.samples.push(`${metric}{${all}} ${value}`);
    }
  }
  return [...families.values()].map(({ about, samples }) => `${[...about, ...samples].join('\n')}\n`).join('\n');
};
