// Writes the table of docs/configuration.md from the list of settings. Run by `npm run generate`; a test compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { variableOf } from '../base/dist/config/setting.js';
import { settings } from '../service/dist/config/service-settings.js';

const file = 'docs/configuration.md';
const text = readFileSync(file, 'utf8');
const rows = Object.entries(settings).map(([key, setting]) => {
  const shown = setting.fallback ? `\`${setting.fallback}\`` : 'none';
  return `| \`${key}\` | \`${variableOf(key, setting)}\` | ${shown} | ${setting.about} |`;
});
const table = /^\| key[^\n]*\n\|[^\n]*\n(?:\|[^\n]*\n)*/im;
const head = table.exec(text)?.[0].split('\n').slice(0, 2) ?? [];
if (head.length === 0) throw new Error(`${file} has no table of settings`);
writeFileSync(
  file,
  text.replace(table, () => `${[...head, ...rows].join('\n')}\n`),
);
