import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isQuick } from '../options.ts';
import { type Figure, limitFigure, type Results } from '../report.ts';
import { quantile } from '../statistics.ts';
import { call, createInstallation, nodeLabel, seedNodes } from '../installation.ts';

/*
 * What `corral node show` takes from a cold start, on top of Node's own: both are started in turn, so that whatever
 * else the machine does is in both. `--quick`: a few runs, for a look.
 */
const runs = isQuick ? 10 : 60;
const aimMs = 150;

const corral = fileURLToPath(new URL('../../../client/dist/cli/corral.js', import.meta.url));

const timeOf = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> => {
  const began = performance.now();
  const child = spawn(process.execPath, [...args], { env, stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code ?? 'a signal'}`);
  return performance.now() - began;
};

const ms = (value: number): string => `${Math.round(value)} ms`;

const figureOf = (what: string, part: number, command: readonly number[], bare: readonly number[]): Figure => {
  const extra = command.map((time, index) => time - (bare[index] ?? 0));
  const note = `${ms(quantile(command, part))} and ${ms(quantile(bare, part))} alone`;
  return limitFigure(`${what}, on top of Node's start`, quantile(extra, part), part === 0.5 ? aimMs : null, 'ms', note);
};

export const measure = async (): Promise<Results> => {
  const installation = await createInstallation();
  let service = await installation.start();
  try {
    await service.stop();
    seedNodes(installation, 1_000);
    service = await installation.start();
    // What `corral login` leaves behind: a token.
    const { token } = (await call(service.url, 'PUT', '/auth/token/bench', {})) as { readonly token: string };
    const env = { CORRAL_ENDPOINT: service.url, CORRAL_TOKEN: token, HOME: installation.dataDir };
    const show = [corral, 'node', 'show', nodeLabel(7)];
    const bare: number[] = [];
    const command: number[] = [];
    for (let run = -2; run < runs; run += 1) {
      const times = [await timeOf(['-e', '0'], env), await timeOf(show, env)] as const;
      // The first ones only warm up the disk.
      if (run < 0) continue;
      bare.push(times[0]);
      command.push(times[1]);
    }
    return {
      figures: [
        figureOf('corral node show, median', 0.5, command, bare),
        figureOf('corral node show, 90 of 100 below', 0.9, command, bare),
      ],
    };
  } finally {
    await service.stop();
    await installation.remove();
  }
};
