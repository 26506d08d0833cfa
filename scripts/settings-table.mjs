// Writes the table of docs/configuration.md from the list of settings. Run by `npm run generate`; a test compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { settings } from '../service/dist/config/service-settings.js';

const file = 'docs/configuration.md';
const text = readFileSync(file, 'utf8');
const rows = settings.map(({ key, env, fallback, about }) => {
  const shown = fallback === null || fallback === '' ? 'none' : `\`${fallback}\``;
  return `| \`${key}\` | \`${env}\` | ${shown} | ${about} |`;
});
const table = /^\| key[^\n]*\n\|[^\n]*\n(?:\|[^\n]*\n)*/im;
const head = table.exec(text)?.[0].split('\n').slice(0, 2) ?? [];
if (head.length === 0) throw new Error(`${file} has no table of settings`);
writeFileSync(
  file,
  text.replace(table, () => `${[...head, ...rows].join('\n')}\n`),
);
