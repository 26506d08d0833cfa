import { execFile, execFileSync, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a program to its end and gives what it said; throws with its complaint if it fails. */
export const run = async (program: string, args: readonly string[]): Promise<string> => {
  const { stdout } = await execute(program, [...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
};

/** Runs many `ip` commands in one go, inside a namespace or outside. */
export const ip = (commands: readonly string[], namespace?: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const inside = namespace === undefined ? [] : ['-n', namespace];
    const child = spawn('ip', [...inside, '-batch', '-'], { stdio: ['pipe', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.on('data', (bytes: Buffer) => (complaint += bytes.toString()));
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`ip failed: ${complaint}`))));
    child.stdin.end(`${commands.join('\n')}\n`);
  });

/** Adds network namespaces, and gives what deletes them. They do not outlive this process. */
export const addNamespaces = async (names: readonly string[]): Promise<() => Promise<void>> => {
  const deletions = names.map((name) => `netns delete ${name}`);
  const deleteAll = (): void => {
    execFileSync('ip', ['-force', '-batch', '-'], { input: `${deletions.join('\n')}\n`, stdio: 'pipe' });
  };
  process.once('exit', deleteAll);
  try {
    await ip(names.map((name) => `netns add ${name}`));
  } catch (error) {
    process.removeListener('exit', deleteAll);
    await ip(deletions).catch(() => undefined);
    throw error;
  }
  return async () => {
    await ip(deletions);
    process.removeListener('exit', deleteAll);
  };
};
