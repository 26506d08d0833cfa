import { tmpdir } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import LongestFirst from './service/test/support/vitest/longest-first.ts';

/** Files that look at their own process or replace modules in it, and those that spend minutes with real machines. */
const apart = [
  'lab/test/**/*.test.ts',
  'obmd/test/{console-clients,standby}.test.ts',
  'obmd/test/core/ownership.test.ts',
  'test/**/*.test.ts',
  'service/test/packets/**/*.test.ts',
  'client/test/login-command.test.ts',
  'service/test/admin/rotate-key.test.ts',
  'service/test/auth/{password-hash,unknown-user}.test.ts',
  'service/test/config/http-config.test.ts',
  'service/test/core/{console,headnode-faults,headnode-lifecycle,headnode-vnc}.test.ts',
  'service/test/server/{console-socket-life,http-bodies,http-connections,http-cors,http-cost,http-headers,http-limits,http-proxy,http-tls,http-turns}.test.ts',
  'service/test/whole/{clock-changes,crash,headnode-crash,headnode-libvirt,obmd-crash,obmd-ipmi,obmd-tls}.test.ts',
  'service/test/worker/{breaker,cleaning-boot-killed,cleaning-killed,worker-steps}.test.ts',
];

const project = (name: string, files: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    name,
    setupFiles: ['service/test/support/vitest/quick-hashes.ts'],
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
      project('together', {
        include: ['{base,obmd,service,client}/test/**/*.test.ts'],
        exclude: apart,
        isolate: false,
      }),
    ],
    globalSetup: ['service/test/support/vitest/parts.ts'],
    reporters: [
      'default',
      './service/test/support/vitest/missing-parts-reporter.ts',
      './service/test/support/vitest/run-again-reporter.ts',
    ],
    // On two processors: files wait half of their time, for machines, processes, leases and time limits (measured, with
    // three at once: 94 s of processor time for worker-steps in 148 s, 119 s for headnode-crash in 245 s).
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      include: ['{base,obmd,service,lab,client}/src/**'],
      reporter: ['text-summary', 'html'],
    },
  },
});
