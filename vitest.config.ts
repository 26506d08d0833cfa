import { defineConfig } from 'vitest/config';
import LongestFirst from './service/test/support/longest-first.ts';

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['{base,obmd,service,lab,bench,client}/test/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['service/test/support/parts.ts'],
    setupFiles: ['service/test/support/quick-hashes.ts'],
    reporters: ['default', './service/test/support/missing-parts-reporter.ts'],
    pool: 'forks',
    // On two processors: a file spends a third of its time and more waiting, for machines, leases and processes.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['{base,obmd,service,lab,client}/src/**'],
      reporter: ['text-summary', 'html'],
    },
  },
});
