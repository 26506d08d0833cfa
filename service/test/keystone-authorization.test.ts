import { hasPart } from '@corral/lab';
import { afterAll, beforeAll, describe } from 'vitest';
import { keystoneSource } from './support/authorization-keystone.ts';
import { tryMatrix } from './support/authorization-matrix.ts';
import { makeRig, type Rig } from './support/authorization-rig.ts';
import type { Source } from './support/authorization-sources.ts';
import { engines } from './support/engines.ts';
import { sharedKeystone } from './support/keystone.ts';

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
