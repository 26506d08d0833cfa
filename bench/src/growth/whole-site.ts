import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { password } from '../installation.ts';
import type { Measured } from '../process.ts';
import type { MeasuredSite } from './measured-site.ts';

const limitMs = 1_800_000;
const adminProgram = fileURLToPath(new URL('../../../service/dist/corral-admin.js', import.meta.url));
const commandLine = fileURLToPath(new URL('../../../client/dist/cli/corral.js', import.meta.url));

/** They make a call for each node, so that a larger site only takes longer: an hour, on a busy machine. */
const mostForDocuments = 10_000;

/** What is done with all of a site at once: seconds, and how large the results are. */
export interface WholeSite {
  readonly backupSeconds: number;
  readonly backupBytes: number;
  /** Null: the site is too large to wait for it. */
  readonly document: { readonly exportSeconds: number; readonly planSeconds: number } | null;
}

export const wholeSite = async (site: MeasuredSite, service: Measured): Promise<WholeSite> => {
  const { dataDir } = site.installation;
  const backup = join(dataDir, 'backup.gz');
  const document = join(dataDir, 'site.yaml');
  const env = { CORRAL_ENDPOINT: service.url, CORRAL_USERNAME: 'admin', CORRAL_PASSWORD: password };
  const backupSeconds = await run([adminProgram, 'backup', backup, '--force'], site.env);
  const backupBytes = statSync(backup).size;
  rmSync(backup);
  if (site.nodes > mostForDocuments) return { backupSeconds, backupBytes, document: null };
  const exportSeconds = await run([commandLine, 'export', document, '--force'], env);
  const planSeconds = await run([commandLine, 'apply', document, '--dry-run'], env);
  return { backupSeconds, backupBytes, document: { exportSeconds, planSeconds } };
};

/** Runs a program to its end; anything but success ends the benchmark. */
const run = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> => {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: limitMs,
  });
  const words: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => words.push(chunk));
  await once(child, 'close');
  if (child.exitCode !== 0) {
    throw new Error(
      `${args.slice(1).join(' ')} ended with ${child.exitCode ?? child.signalCode}: ${Buffer.concat(words).toString()}`,
    );
  }
  return (performance.now() - began) / 1000;
};
