import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { labCertificate, labKey } from '@corral/lab';
import { vi } from 'vitest';
import { afterAll, beforeAll } from 'vitest';

interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The settings of a service that has it. */
  readonly env: Readonly<Record<string, string>>;
}

/** A certificate of the lab in files, for a suite whose clients look at no certificate. */
export const certificateForSuite = (): (() => Certificate) => {
  let directory = '';
  beforeAll(async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    directory = await mkdtemp(join(tmpdir(), 'corral-cert-'));
    await writeFile(join(directory, 'cert.pem'), labCertificate);
    await writeFile(join(directory, 'key.pem'), labKey);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await rm(directory, { recursive: true, force: true });
  });
  return () => {
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
    return { cert, key, env: { CORRAL_TLS_CERT: cert, CORRAL_TLS_KEY: key } };
  };
};
