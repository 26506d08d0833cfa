import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

it('every room imports only what it may', async () => {
  const cruiser = 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs';
  const args = [cruiser, '--config', '.dependency-cruiser.cjs', 'service', 'lab', 'bench'];
  const { stdout } = await run(process.execPath, args, { cwd: root }).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(stdout).toContain('no dependency violations found');
});

const programs = ['service/src/main.ts', 'service/src/admin.ts'];

it('nobody but the programs looks at the environment', async () => {
  const { stdout } = await run('git', ['ls-files', 'service/src'], { cwd: root });
  for (const file of stdout
    .trim()
    .split('\n')
    .filter((name) => !programs.includes(name))) {
    const text = await readFile(`${root}/${file}`, 'utf8');
    expect(text.includes('process.env'), file).toBe(false);
  }
});
