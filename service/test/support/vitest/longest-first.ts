import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take a minute and more, the longest first: one that begins last runs alone. The very first keeps two
 * processors busy, so those that mostly wait come beside it.
 */
const longest = [
  'service/test/packets/soak.test.ts',
  'service/test/worker/breaker.test.ts',
  'service/test/server/console-socket-life.test.ts',
  'service/test/server/http-bodies.test.ts',
  'service/test/server/http-connections.test.ts',
  'service/test/whole/headnode-crash.test.ts',
  'service/test/whole/crash.test.ts',
  'service/test/drivers/switch-contract.test.ts',
  'service/test/worker/worker-steps.test.ts',
  'service/test/worker/cleaning-killed.test.ts',
  'service/test/worker/cleaning-steps.test.ts',
  'service/test/whole/headnode-libvirt.test.ts',
  'service/test/whole/obmd-crash.test.ts',
  'service/test/admin/rotate-key.test.ts',
  'service/test/packets/changing.test.ts',
  'obmd/test/drivers/bmc-contract.test.ts',
  'service/test/admin/admin-restore.test.ts',
  'service/test/auth/oidc-provider.test.ts',
  'service/test/whole/service-model.test.ts',
];

/** Runs what runs apart first, then what shares a process, so that it can; in both the longest first. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((name) => moduleId.endsWith(`/${name}`));
      return place === -1 ? longest.length : place;
    };
    const shares = ({ project }: TestSpecification): number => (project.config.isolate ? 0 : 1);
    return (await super.sort(files)).sort((one, other) => shares(one) - shares(other) || rank(one) - rank(other));
  }
}
