import { writeFile } from 'node:fs/promises';
import type { ParsedArguments, CommandContext } from '../cli-command.ts';
import { UsageError } from '../usage-error.ts';
import { counted } from '../counted.ts';
import { reportDone } from '../report-done.ts';
import { type Part, readServiceState } from './service-state.ts';
import { readBmcTypes } from '../device-fields.ts';
import { documentOf } from './export-document.ts';

const everything: readonly Part[] = ['projects', 'users', 'networks', 'switches', 'nodes'];

/** `corral export`: to a file, or to standard output. */
export const runExport = async ({ corral, output, signal }: CommandContext, parsed: ParsedArguments): Promise<void> => {
  const client = await corral();
  const progress = output.progress('reading');
  try {
    const state = await readServiceState(client, new Set(everything), signal, (text) => progress.update(text));
    progress.update('reading BMCs');
    const types = await readBmcTypes(client, signal);
    const { bmcs, unread } = await client.listBmcs({}, { signal });
    const now = new Map(bmcs.flatMap(({ node, bmc }) => (bmc === null ? [] : [[node, bmc] as const])));
    progress.stop();
    for (const [daemon, reason] of Object.entries(unread)) {
      output.note(`BMCs of the OBM daemon at ${daemon} are left out: ${reason}`);
    }
    const text = documentOf(state, client.endpoint, { types, now });
    const file = parsed.optional('file');
    if (file === undefined || file === '-') {
      await output.raw(Buffer.from(text));
      return;
    }
    await write(file, text, parsed.flag('force'));
    const counts = { nodes: state.nodes.size, switches: state.switches.size, projects: state.projects.length };
    reportDone(
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
