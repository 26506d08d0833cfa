import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isQuick, say } from '../options.ts';
import { increaseFigure, limitFigure, noneFigure, type Results } from '../report.ts';
import { call, createInstallation, nodeLabel, password } from '../installation.ts';

/*
 * A whole site with `corral apply`, beside a script that makes the same calls one after the other; then once more, and
 * killed in the middle. `--quick`: a tenth of it.
 */
const size = isQuick ? { nodes: 100, switches: 5 } : { nodes: 1_000, switches: 50 };
const perSwitch = size.nodes / size.switches;
const limitMs = 600_000;

const program = fileURLToPath(new URL('../../../client/dist/cli/corral.js', import.meta.url));

interface Cable {
  readonly nic: string;
  readonly macaddr: string;
  readonly switch: string;
  readonly port: string;
}

const cablesOf = (index: number): readonly Cable[] =>
  ['eth0', 'eth1'].map((nic, which) => ({
    nic,
    macaddr: `52:54:0${which}:00:${(index >> 8).toString(16).padStart(2, '0')}:${(index & 255).toString(16).padStart(2, '0')}`,
    switch: `tor-${Math.floor(index / perSwitch)}`,
    port: `gi${which}/0/${index % perSwitch}`,
  }));

const uriOf = (index: number): string => `http://127.0.0.1:9/node/${nodeLabel(index)}`;
const everyNode = Array.from({ length: size.nodes }, (_, index) => index);
const everySwitch = Array.from({ length: size.switches }, (_, index) => `tor-${index}`);
const callCount = size.switches + size.nodes * 7;

const document = (): string =>
  [
    'switches:',
    ...everySwitch.map((label) => `  ${label}: { type: mock, hostname: ${label}, username: u, password_file: secret }`),
    'nodes:',
    ...everyNode.flatMap((index) => [
      `  ${nodeLabel(index)}:`,
      `    obmd: { uri: '${uriOf(index)}', admin_token_file: secret }`,
      '    nics:',
      ...cablesOf(index).map(
        ({ nic, macaddr, switch: on, port }) => `      ${nic}: { macaddr: '${macaddr}', switch: ${on}, port: ${port} }`,
      ),
    ]),
    '',
  ].join('\n');

/** What people do today: a script, call after call. */
const byScript = async (url: string): Promise<void> => {
  for (const label of everySwitch) {
    await call(url, 'PUT', `/switch/${label}`, { type: 'mock', hostname: label, username: 'u', password: 'p' });
  }
  for (const index of everyNode) {
    const node = nodeLabel(index);
    await call(url, 'PUT', `/node/${node}`, { obmd: { uri: uriOf(index), admin_token: 't' } });
    for (const { nic, macaddr, switch: on, port } of cablesOf(index)) {
      await call(url, 'PUT', `/switch/${on}/port/${port}`);
      await call(url, 'PUT', `/node/${node}/nic/${nic}`, { macaddr });
      await call(url, 'POST', `/switch/${on}/port/${port}/connect_nic`, { node, nic });
    }
  }
};

interface Applied {
  readonly seconds: number;
  readonly done: number;
  readonly left: number;
}

const apply = async (url: string, file: string, killAfterMs: number | null = null): Promise<Applied> => {
  const began = performance.now();
  const child = spawn(process.execPath, [program, 'apply', file, '--yes', '--json'], {
    env: { ...process.env, CORRAL_ENDPOINT: url, CORRAL_USERNAME: 'admin', CORRAL_PASSWORD: password },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: limitMs,
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const timer = killAfterMs === null ? null : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await once(child, 'close');
  if (timer) clearTimeout(timer);
  const seconds = (performance.now() - began) / 1000;
  if (killAfterMs !== null) return { seconds, done: 0, left: 0 };
  const { done, left } = JSON.parse(Buffer.concat(chunks).toString()) as { done: number; left: unknown[] };
  return { seconds, done, left: left.length };
};

const withService = async <T>(work: (url: string) => Promise<T>): Promise<T> => {
  const installation = await createInstallation();
  const service = await installation.start();
  try {
    return await work(service.url);
  } finally {
    await service.stop();
    await installation.remove();
  }
};

export const measure = async (): Promise<Results> => {
  const place = await mkdtemp(join(tmpdir(), 'corral-bench-apply-'));
  const file = join(place, 'site.yaml');
  try {
    await writeFile(file, document());
    await writeFile(join(place, 'secret'), 'p');
    say(`by a script: ${callCount} calls, one after the other`);
    const script = await withService(async (url) => {
      const began = performance.now();
      await byScript(url);
      return (performance.now() - began) / 1000;
    });
    say('corral apply, and again');
    const [first, second] = await withService(async (url) => [await apply(url, file), await apply(url, file)] as const);
    say('killed in the middle, and again');
    const rest = await withService(async (url) => {
      await apply(url, file, (first.seconds * 1000) / 2);
      return apply(url, file);
    });
    const figures = [
      increaseFigure(
        `(a) ${size.nodes} nodes, ${size.switches} switches, ${first.done} calls`,
        [first.seconds, script],
        's',
        1,
      ),
      noneFigure('(a) calls that were not made', first.left + (callCount - first.done), `of ${callCount}`),
      noneFigure('(b) run again: calls made', second.done, `in ${second.seconds.toFixed(1)} s`),
      noneFigure('(c) killed in the middle and run again: calls left', rest.left, `${rest.done} made`),
      limitFigure('(c) calls of the second run', rest.done, callCount, 'calls', 'of the whole'),
    ];
    return { figures };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
};
