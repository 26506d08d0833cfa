import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { commands } from '../../src/cli/commands/all-commands.ts';
import { run } from '../../src/cli/run-command.ts';

/** What a command line left behind. */
interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A shell without a terminal: runs command lines one after the other, with an environment of its own. */
export interface Shell {
  readonly home: string;
  (
    line: string,
    options?: {
      readonly env?: Readonly<Record<string, string>>;
      readonly signal?: AbortSignal;
      /** Told what is on the error output so far, whenever there is more. */
      readonly hear?: (text: string) => void;
    },
  ): Promise<Ran>;
  /** A file for a secret, whose path is answered. */
  file(name: string, text: string): Promise<string>;
}

export const shellForTest = async (env: Readonly<Record<string, string>> = {}): Promise<Shell> => {
  const home = await mkdtemp(join(tmpdir(), 'corral-cli-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const shell = async (line: string, options: Parameters<Shell>[1] = {}): Promise<Ran> => {
    const [out, err] = [new PassThrough(), new PassThrough()];
    const texts = [collect(out), collect(err)] as const;
    err.on('data', () => options.hear?.(texts[1]()));
    const code = await run(commands, {
      argv: wordsOf(line),
      env: { CORRAL_CLIENT_CONFIG: join(home, 'client.json'), ...env, ...options.env },
      stdin: Object.assign(new PassThrough(), { isTTY: false }) as unknown as NodeJS.ReadStream,
      stdout: out as unknown as NodeJS.WriteStream,
      stderr: err as unknown as NodeJS.WriteStream,
      signal: options.signal ?? new AbortController().signal,
    });
    return { code, out: texts[0](), err: texts[1]() };
  };
  return Object.assign(shell, {
    home,
    file: async (name: string, text: string) => {
      await writeFile(join(home, name), text);
      return join(home, name);
    },
  });
};

const collect = (stream: PassThrough): (() => string) => {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
};

/** Words as a shell splits them: by spaces, except between single quotes. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
