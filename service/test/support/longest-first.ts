import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take a minute and more, the longest first: one that begins last runs alone. The very first keeps two
 * processors busy, so those that mostly wait come beside it.
 */
const longest = [
  'service/test/packets/soak.test.ts',
  'service/test/breaker.test.ts',
  'service/test/console-socket-life.test.ts',
  'service/test/front-bodies.test.ts',
  'service/test/front-connections.test.ts',
  'service/test/headnode-crash.test.ts',
  'service/test/crash.test.ts',
  'service/test/drivers/contract.test.ts',
  'service/test/steps.test.ts',
  'service/test/headnode-libvirt.test.ts',
  'service/test/obmd-crash.test.ts',
  'service/test/rotate-key.test.ts',
  'service/test/packets/changing.test.ts',
  'obmd/test/drivers/contract.test.ts',
  'service/test/admin-restore.test.ts',
  'service/test/oidc-provider.test.ts',
  'service/test/model.test.ts',
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
