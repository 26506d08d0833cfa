import { hasPart } from '@corral/lab';
import { afterAll, beforeAll, describe } from 'vitest';
import { keystoneSource } from '../support/authorization/authorization-keystone.ts';
import { tryMatrix } from '../support/authorization/authorization-matrix.ts';
import { makeRig, type Rig } from '../support/authorization/authorization-rig.ts';
import type { Source } from '../support/authorization/authorization-sources.ts';
import { engines } from '../support/services/engines.ts';
import { sharedKeystone } from '../support/identity/shared-keystone.ts';

const keystone = sharedKeystone();
let source: Source | null = null;

describe.runIf(hasPart('Keystone')).each(engines)('authorization of users of a Keystone on %s', (engine) => {
  let rig: Rig;
  beforeAll(async () => {
    source ??= await keystoneSource(keystone());
    rig = await makeRig(engine, source);
  });
  afterAll(() => rig.close());

  tryMatrix(() => rig);
});
