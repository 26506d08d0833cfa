import { missingParts } from '../../../../lab/src/installed-parts.ts';
import type { Reporter, TestProject, Vitest } from 'vitest/node';

/** Says once, at the end, which suites could not run here and what installs what they need. */
export default class MissingPartsReporter implements Reporter {
  #project: TestProject | null = null;

  onInit(vitest: Vitest): void {
    this.#project = vitest.getRootProject();
  }

  onTestRunEnd(): void {
    const isWithoutPostgres = this.#project?.getProvidedContext().postgres === null;
    const lines = [
      ...(isWithoutPostgres
        ? ['every suite on PostgreSQL (SQLite only): PostgreSQL 15 or newer is not installed']
        : []),
      ...missingParts().map((part) => `suites on a real ${part}: it is not installed, or you are not root`),
    ];
    if (lines.length === 0) return;
    process.stdout.write(
      `\nNot run here:\n${lines.map((line) => `  - ${line}\n`).join('')}Install with: npm run parts\n\n`,
    );
  }
}
