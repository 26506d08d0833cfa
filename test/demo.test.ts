import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, corral, type Demo, startDemo } from './support/demo.ts';
import { type Call, callOf, type Shown, stepsOf, timeless } from './support/guide.ts';

/** The origin that every guide uses. */
const writtenOrigin = 'http://127.0.0.1:5000';
const answerWithinMs = 20_000;

let demo: Demo;

beforeAll(async () => {
  await build();
  demo = await startDemo();
}, 240_000);
afterAll(() => demo.remove());

const readGuide = (name: string): Promise<string> => readFile(new URL(`../${name}`, import.meta.url), 'utf8');

interface Answer {
  readonly status: number;
  readonly text: string;
}

const make = async (call: Call): Promise<Answer> => {
  if (call.isStream) return listen(call);
  const { method, url, headers, body } = call;
  const signal = AbortSignal.timeout(answerWithinMs);
  const response = await fetch(url, { method, headers, signal, ...(body === null ? {} : { body }) });
  return { status: response.status, text: await response.text() };
};

/** The first that a stream has to say. Not by fetch, which keeps the connection of a stream that it has left. */
const listen = ({ method, url, headers }: Call): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, signal: AbortSignal.timeout(answerWithinMs) }, (response) => {
      response.once('data', (chunk: Buffer) => {
        resolve({ status: response.statusCode ?? 0, text: chunk.toString() });
        sent.destroy();
      });
    });
    sent.once('error', reject);
    sent.end();
  });

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Does the answer look as it is shown? Where nothing is shown, it has to be a success. */
const isAsShown = ({ status, text }: Answer, shown: Shown): boolean => {
  if (shown.kind === 'nothing') return status < 300;
  return JSON.stringify(timeless(parsed(text))) === JSON.stringify(timeless(shown.value));
};

/** Makes a call until it answers as shown: network changes are queued, and a refused call changes nothing. */
const expectShown = async (line: string, call: Call, shown: Shown): Promise<string> => {
  const deadline = Date.now() + answerWithinMs;
  for (;;) {
    const answer = await make(call);
    if (isAsShown(answer, shown)) return answer.text;
    if (Date.now() > deadline) {
      if (shown.kind === 'json') expect(timeless(parsed(answer.text)), line).toEqual(timeless(shown.value));
      expect.fail(`${line}: ${answer.status} ${answer.text}`);
    }
    await sleep(50);
  }
};

describe('the demo', () => {
  it('prints where it is, who can log in, and five commands', () => {
    expect(demo.output).toMatch(/40 with 110 nics/);
    for (const user of ['admin', 'ada', 'grace', 'vera']) expect(demo.output).toContain(`${user}-demo`);
    expect(demo.output.match(/^ {2}curl /gm)).toHaveLength(5);
    // It goes to something that is no terminal here: whole lines, nothing drawn over.
    expect(demo.output).not.toContain('\r');
  });

  it.each(['docs/tenant-guide.md', 'docs/api.md', 'README.md'])(
    'answers the calls of %s as it shows them',
    async (name) => {
      const steps = stepsOf((await readGuide(name)).replaceAll(writtenOrigin, demo.origin));
      const variables = new Map<string, string>();
      let statusId = '';
      let token = '';
      expect(steps.length).toBeGreaterThan(5);
      for (const step of steps) {
        const made = new Map([
          ['ID', statusId],
          ['TOKEN', token],
        ]);
        if (step.kind === 'set') variables.set(step.name, made.get(step.name) ?? step.value);
        else {
          const text = await expectShown(step.line, callOf(step.line, variables), step.shown);
          statusId = /^\{"status_id":"([^"]+)"\}$/.exec(text)?.[1] ?? statusId;
          token = /"token":"(corral_[^"]+)"/.exec(text)?.[1] ?? token;
        }
      }
    },
    120_000,
  );

  it('prints for the command line what README.md shows', async () => {
    const [, console = ''] = /^```console\n([^]*?)^```$/m.exec(await readGuide('README.md')) ?? [];
    const commands = [...console.matchAll(/^\$ corral (.*)\n((?:[^$].*\n)*)/gm)];
    expect(commands.length).toBeGreaterThan(4);
    for (const [, line = '', shown = ''] of commands) {
      expect(await corral(demo.origin, line.split(' ')), line).toBe(shown);
    }
  });

  it('answers the commands that it prints', async () => {
    const lines = demo.output.match(/^ {2}curl .*$/gm) ?? [];
    for (const line of lines) await expectShown(line, callOf(line.trim(), new Map()), { kind: 'nothing' });
  });

  it('stops cleanly, and takes the service along', async () => {
    expect(await demo.stop('SIGTERM')).toBe(0);
    await expect(fetch(`${demo.origin}/healthz`)).rejects.toThrow();
  });
});
