import { counted } from '../counted.ts';
import type { Output } from '../output.ts';
import { type SitePlan, kinds } from './site-plan.ts';

/** Lines of each sort that are shown if nobody wants all. */
const shownLines = 15;
const signs = { create: '+', change: '~', extra: '?' } as const;
type Sign = keyof typeof signs;

const plural = { switch: 'switches', bmc: 'BMCs' } as Readonly<Record<string, string>>;

/** What would be done, for a person: a table of how much, and the first lines of what. */
export const showPlan = (output: Output, plan: SitePlan, all: boolean): void => {
  if (output.isJson) return;
  const items = itemsOf(plan);
  if (items.length === 0) return;
  const { style } = output;
  const paint: Readonly<Record<Sign, (text: string) => string>> = {
    create: (text) => style.green(text),
    change: (text) => style.yellow(text),
    extra: (text) => style.dim(text),
  };
  for (const sign of Object.keys(signs) as Sign[]) {
    const mine = items.filter((item) => item.sign === sign);
    const lines = all ? mine : mine.slice(0, shownLines);
    for (const { what } of lines) output.say(paint[sign](`${signs[sign]} ${what}`));
    if (mine.length > lines.length)
      output.say(output.style.dim(`  and ${counted(mine.length - lines.length)} more (--all)`));
  }
  output.say('');
  const rows = kinds.flatMap((kind) => {
    const count = (sign: Sign): number => items.filter((item) => item.sign === sign && item.kind === kind).length;
    const counts = [count('create'), count('change'), count('extra')];
    return counts.some((one) => one > 0) ? [[plural[kind] ?? `${kind}s`, ...counts.map(counted)]] : [];
  });
  output.table(['', 'create', 'change', 'extra'], rows, null, '');
};

/** Everything that differs, in the order in which it is done; what is extra comes last. */
export const itemsOf = (plan: SitePlan): readonly { sign: Sign; kind: string; what: string }[] => [
  ...plan.stages.flat().map(({ sign, kind, what }) => ({ sign, kind, what })),
  ...plan.extras.map(({ kind, what }) => ({ sign: 'extra' as const, kind, what })),
];
