import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take a minute and more. Where no earlier run is remembered, vitest goes by the size of files, and these
 * are not all large; one that begins last runs alone.
 */
const longest = [
  'service/test/packets/soak.test.ts',
  'service/test/obmd-crash.test.ts',
  'service/test/drivers/contract.test.ts',
  'service/test/rotate-key.test.ts',
  'service/test/headnode-libvirt.test.ts',
  'obmd/test/drivers/contract.test.ts',
  'service/test/races.test.ts',
  'service/test/keystone-authorization.test.ts',
  'service/test/keystone.test.ts',
  'service/test/packets/isolation.test.ts',
  'service/test/oidc-authorization.test.ts',
  'service/test/made-here-authorization.test.ts',
  'service/test/oracle-tenants.test.ts',
  'service/test/model.test.ts',
  'test/demo.test.ts',
];

/** Runs the longest files first, then the others in vitest's own order. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((name) => moduleId.endsWith(`/${name}`));
      return place === -1 ? longest.length : place;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
