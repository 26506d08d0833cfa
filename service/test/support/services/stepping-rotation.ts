import { existsSync } from 'node:fs';
import { rotateKeyOf } from '../../../src/admin/rotate-key-command.ts';
import { loadConfig } from '../../../src/config/load-service-config.ts';

/*
 * The rotation of the key as a process that kills itself with SIGKILL when it reaches a given step for the nth time, or
 * stands still at that step until a file appears. Arguments: step, then `die` and how often, or `hold` and the file.
 */

const [, , step, what, argument = ''] = process.argv;

const hold = (): void => {
  process.stdout.write('held\n');
  while (!existsSync(argument)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
};

let reached = 0;
const terminal = { out: () => undefined, err: (text: string) => process.stderr.write(text), isLive: false };
void rotateKeyOf(loadConfig(process.env), terminal, {
  step: (name) => {
    if (name !== step) return;
    reached += 1;
    if (what === 'hold') hold();
    else if (reached === Number(argument)) process.kill(process.pid, 'SIGKILL');
  },
});
