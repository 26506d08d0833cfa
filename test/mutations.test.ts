import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('every mutation of the list finds the text that it replaces', () => {
  const shown = execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/mutations.mjs'), '--list'], {
    encoding: 'utf8',
  });
  expect(shown).toContain('a node is given away before it has passed its gate');
});
