import type { Reporter, TestProject, Vitest } from 'vitest/node';

/** Says once, at the end, which suites could not run here and what installs what they need. */
export default class MissingPartsReporter implements Reporter {
  #project: TestProject | null = null;

  onInit(vitest: Vitest): void {
    this.#project = vitest.getRootProject();
  }

  onTestRunEnd(): void {
    const provided = this.#project?.getProvidedContext();
    if (provided?.postgres !== null) return;
    process.stdout.write(
      '\nNot run: every suite on PostgreSQL (SQLite only), because PostgreSQL 15 or newer is not installed.\n' +
        'Install it with: npm run parts\n\n',
    );
  }
}
