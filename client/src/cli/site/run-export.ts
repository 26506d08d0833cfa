import { writeFile } from 'node:fs/promises';
import type { Given, Scene } from '../command.ts';
import { UsageError } from '../mistake.ts';
import { counted } from '../counted.ts';
import { done } from '../say.ts';
import { type Part, readActual } from './actual.ts';
import { documentOf } from './export.ts';

const everything: readonly Part[] = ['projects', 'users', 'networks', 'switches', 'nodes'];

/** `corral export`: to a file, or to standard output. */
export const runExport = async ({ corral, output, signal }: Scene, given: Given): Promise<void> => {
  const client = await corral();
  const progress = output.progress('reading');
  try {
    const actual = await readActual(client, new Set(everything), signal, (text) => progress.update(text));
    progress.stop();
    const text = documentOf(actual, client.endpoint);
    const file = given.optional('file');
    if (file === undefined) {
      await output.raw(Buffer.from(text));
      return;
    }
    await write(file, text, given.flag('force'));
    const counts = { nodes: actual.nodes.size, switches: actual.switches.size, projects: actual.projects.length };
    done(
      output,
      `${counted(counts.nodes)} nodes, ${counted(counts.switches)} switches and ${counted(counts.projects)} projects are in ${file}`,
      { file, ...counts },
    );
  } finally {
    progress.stop();
  }
};

const write = async (file: string, text: string, force: boolean): Promise<void> => {
  try {
    await writeFile(file, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'EEXIST' ? `${file} already exists; use --force to overwrite it` : `${file}: ${message}`,
    );
  }
};
