/** Upper ends of the buckets, in seconds. */
const buckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

interface Series {
  readonly labels: string;
  readonly counts: number[];
  sum: number;
  total: number;
}

/**
 * How long requests took, as a Prometheus histogram. By hand, because it is on the path of every request:
 * the library hashes the labels at each observation, which cost as much as the rest of the bookkeeping.
 */
export class RequestTimes {
  readonly #name: string;
  readonly #series = new Map<string, Series>();

  constructor(name: string) {
    this.#name = name;
  }

  observe(method: string, route: string, status: number, ms: number): void {
    const labels = `method="${method}",route="${route}",status="${status}"`;
    let series = this.#series.get(labels);
    if (series === undefined) {
      series = { labels, counts: buckets.map(() => 0), sum: 0, total: 0 };
      this.#series.set(labels, series);
    }
    const seconds = ms / 1000;
    const bucket = buckets.findIndex((end) => seconds <= end);
    if (bucket >= 0) series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += seconds;
    series.total += 1;
  }

  /** The exposition format: buckets are cumulative there. */
  text(): string {
    const name = this.#name;
    const lines = [`# HELP ${name} Time to serve a request`, `# TYPE ${name} histogram`];
    for (const { labels, counts, sum, total } of this.#series.values()) {
      let below = 0;
      for (const [index, end] of buckets.entries()) {
        below += counts[index] ?? 0;
        lines.push(`${name}_bucket{le="${end}",${labels}} ${below}`);
      }
      lines.push(`${name}_bucket{le="+Inf",${labels}} ${total}`);
      lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${total}`);
    }
    return `${lines.join('\n')}\n`;
  }
}
