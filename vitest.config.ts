import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['{base,obmd,service,lab,bench,client}/test/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['service/test/support/parts.ts'],
    reporters: ['default', './service/test/support/missing-parts-reporter.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['{base,obmd,service,lab,client}/src/**'],
      reporter: ['text-summary', 'html'],
    },
  },
});
