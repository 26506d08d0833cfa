import { tmpdir } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import LongestFirst from './service/test/support/longest-first.ts';

/** Files that look at their own process or replace modules in it, and those that spend their time with real machines. */
const apart = [
  '{obmd,lab,bench}/test/**/*.test.ts',
  'test/**/*.test.ts',
  'service/test/{drivers,packets}/**/*.test.ts',
  'client/test/login-command.test.ts',
  'service/test/{breaker,clock-steps,console,console-socket-life,crash,front-*,headnode-*,obmd-*,passwords,rotate-key,steps}.test.ts',
];

const project = (name: string, files: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    name,
    setupFiles: ['service/test/support/quick-hashes.ts'],
    pool: 'forks',
    // What a worker that hangs is asked for.
    execArgv: ['--report-on-signal', `--report-directory=${tmpdir()}`],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    ...files,
  },
});

export default defineConfig({
  test: {
    projects: [
      project('apart', { include: apart }),
      // One after the other in the same process: to load the service takes as long as many a file's tests.
      project('together', { include: ['{base,service,client}/test/**/*.test.ts'], exclude: apart, isolate: false }),
    ],
    globalSetup: ['service/test/support/parts.ts'],
    reporters: [
      'default',
      './service/test/support/missing-parts-reporter.ts',
      './service/test/support/hung-file-reporter.ts',
    ],
    // On two processors: files wait half of their time and more, for machines, leases and time limits (measured: 64 s of
    // processor time for five files that take 121 s one after the other).
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      include: ['{base,obmd,service,lab,client}/src/**'],
      reporter: ['text-summary', 'html'],
    },
  },
});
