#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { DemoError } from './demo/demo-error.ts';
import { choosePort } from './demo/demo-port.ts';
import { runDemo } from './demo/run-demo.ts';

const usage = `npm run demo [-- --port PORT]

Starts Corral with a simulated rack, in ./demo-data, until Ctrl-C.
Without --port it listens on port 5000, or on a free one if that is taken.
`;

const exitCodes = { stopped: 0, failure: 1 } as const;
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface LabHttpRequest {
  readonly help: boolean;
  readonly port: number | null;
}

const readArguments = (): LabHttpRequest => {
  const { values } = parseArgs({ options: { port: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  const help = values.help ?? false;
  if (values.port === undefined) return { help, port: null };
  const port = Number(values.port);
  if (/^\d+$/.test(values.port) && port <= 65_535) return { help, port };
  throw new DemoError(`--port is ${JSON.stringify(values.port)}; expected a number from 0 to 65535`);
};

const main = async (): Promise<void> => {
  const { help, port } = readArguments();
  if (help) {
    process.stdout.write(usage);
    return;
  }
  const stop = new AbortController();
  for (const signal of stopSignals) process.once(signal, () => stop.abort());
  await runDemo(await choosePort(port), process.stdout, stop.signal);
};

main().then(
  () => process.exit(exitCodes.stopped),
  (error: unknown) => {
    const isExpected = error instanceof DemoError || (error instanceof Error && 'code' in error);
    const words = isExpected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`\ncorral demo: ${words}\n`);
    process.exit(exitCodes.failure);
  },
);
