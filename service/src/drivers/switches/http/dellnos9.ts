import {
  outcomeOf,
  type PortConfig,
  type PortOutcome,
  type SwitchDriver,
  type SwitchSession,
} from '../switch-contract.ts';
import { nativeFirst } from '../native-first.ts';
import { notToBeOpened } from '../known-elements.ts';
import { oneLine } from '../device-text.ts';
import { escapeXml, textAt } from '@corral/base/xml';
import { passedBy, type DellConfig, dellConfigFrom } from './dellnos9-config.ts';
import { isLogLine } from './dellnos9-sections.ts';
import { type Step, type Steps, stepsFor } from './dellnos9-steps.ts';
import { documentIn, errorMessageIn } from './xml-documents.ts';
import { httpDriverOfType } from './http-driver.ts';
import type { SwitchHttp } from './switch-http-client.ts';
import { aboutLine, serialOf, serviceTagIn } from '../serial-numbers.ts';
import { slashedPortName } from './http-port-names.ts';
import { wireByName } from '../port-wires.ts';

const defaults = { scheme: 'http', ports: { http: 8008, https: 8888 } } as const;

/** Dell switches with OS9, by the commands that its REST interface takes. */
export const dellnos9: SwitchDriver = {
  ...httpDriverOfType(defaults, (http, interfaceType) => new DellSession(http, interfaceType)),
  capabilities: [],
  hasLegacyType: true,
  portName: slashedPortName,
  wire: wireByName,
  refuse: nativeFirst,
};

/** OS9 takes 1000 characters of commands in one request. */
const longestRequest = 960;
const media = 'application/vnd.yang.operation+xml';

/** What is done for one port, in order. */
interface Job {
  readonly port: string;
  readonly steps: readonly Step[];
}

class DellSession implements SwitchSession {
  readonly #http: SwitchHttp;
  readonly #type: string;

  constructor(http: SwitchHttp, interfaceType: string) {
    this.#http = http;
    this.#type = interfaceType;
  }

  /** Finds out whether anybody is there and lets us in. */
  async probe(signal: AbortSignal): Promise<void> {
    const { output, refusal } = await this.#run('show-command', 'version', signal);
    if (refusal !== null) throw new Error(`the switch does not report its model: "${oneLine(output)}"`);
  }

  /**
   * All ports together first. A request that the switch finds fault with says little about which of its ports is
   * to blame, so those are done again, each alone.
   */
  async apply(ports: readonly PortConfig[], signal: AbortSignal): Promise<readonly PortOutcome[]> {
    const suspects = await this.#applyTogether(ports, signal);
    const outcomes: PortOutcome[] = [];
    for (const wanted of ports) {
      const { port } = wanted;
      const reason = suspects.has(port) ? await this.#applyAlone(wanted, signal) : null;
      outcomes.push(outcomeOf(port, reason));
    }
    return outcomes;
  }

  async read(ports: readonly string[], signal: AbortSignal): Promise<readonly PortConfig[]> {
    const config = await this.#config(signal);
    return ports.flatMap((name) => {
      const port = config.ports.get(name);
      return port === undefined ? [] : [passedBy(port, config.defaultVlan)];
    });
  }

  async readAll(signal: AbortSignal): Promise<readonly PortConfig[]> {
    const config = await this.#config(signal);
    return [...config.ports.values()].map((port) => passedBy(port, config.defaultVlan));
  }

  /** The ports of another kind are another record of the same switch. */
  async identity(signal: AbortSignal): Promise<string | null> {
    const { output, refusal } = await this.#run('show-command', 'inventory', signal);
    const serial = refusal === null ? serialOf('dell', serviceTagIn(output)) : null;
    return serial && `${serial} ${this.#type.toLowerCase()}`;
  }

  async about(signal: AbortSignal): Promise<string | null> {
    const { output, refusal } = await this.#run('show-command', 'inventory', signal);
    const told = (name: string): string => new RegExp(`^${name} *: *(\\S+)`, 'm').exec(output)?.[1] ?? '';
    return refusal === null ? aboutLine('Dell', told('System Type'), 'OS', told('Software Version')) : null;
  }

  async save(signal: AbortSignal): Promise<void> {
    const { refusal } = await this.#run('exec-command', 'write memory', signal);
    if (refusal !== null) throw new Error(`the switch did not save its configuration: ${refusal}`);
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** The ports of requests that did not go well, and those for which there is nothing to send. */
  async #applyTogether(ports: readonly PortConfig[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const config = await this.#config(signal);
    const suspects = new Set<string>();
    const planned = new Map<string, Steps>();
    for (const wanted of ports) {
      const steps = this.#stepsTo(wanted, config);
      if (typeof steps === 'string') suspects.add(wanted.port);
      else planned.set(wanted.port, steps);
    }
    for (const phase of ['change', 'open'] as const) {
      const jobs = [...planned].map(([port, steps]): Job => ({ port, steps: steps[phase] }));
      for (const { port } of await this.#send(jobs, suspects, signal)) suspects.add(port);
    }
    return suspects;
  }

  async #applyAlone(wanted: PortConfig, signal: AbortSignal): Promise<string | null> {
    const steps = this.#stepsTo(wanted, await this.#config(signal));
    if (typeof steps === 'string') return steps;
    for (const phase of ['change', 'open'] as const) {
      const [failed] = await this.#send([{ port: wanted.port, steps: steps[phase] }], new Set(), signal);
      if (failed) return failed.refusal;
    }
    return null;
  }

  /** The steps, or why there are none. */
  #stepsTo({ port, native, tagged }: PortConfig, config: DellConfig): Steps | string {
    const now = config.ports.get(port);
    if (now === undefined) return `the switch has no port ${this.#type} ${port}`;
    if (native === null && tagged.length > 0) return 'this switch needs a native VLAN beside tagged ones';
    if (native !== null && now.unclear.length > 0) return notToBeOpened(now.unclear);
    const steps = stepsFor(this.#type, now);
    return native === null ? steps.toIdle() : steps.toCarry(native, tagged);
  }

  /** Sends steps, as many in a request as fit. After a bad answer nothing more is sent for the ports in it. */
  async #send(
    jobs: readonly Job[],
    suspects: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<readonly { readonly port: string; readonly refusal: string }[]> {
    const failed = new Map<string, string>();
    let request: string[] = [];
    let inRequest = new Set<string>();
    const flush = async (): Promise<void> => {
      if (request.length === 0) return;
      const { refusal } = await this.#run('config-commands', request.join('\r\n'), signal);
      if (refusal !== null) for (const port of inRequest) failed.set(port, refusal);
      request = [];
      inRequest = new Set();
    };
    for (const { port, steps } of jobs) {
      for (const commands of steps) {
        if ([...request, ...commands].join('\r\n').length > longestRequest) await flush();
        if (failed.has(port) || suspects.has(port)) break;
        request.push(...commands);
        inRequest.add(port);
      }
    }
    await flush();
    return [...failed].map(([port, refusal]) => ({ port, refusal }));
  }

  async #config(signal: AbortSignal): Promise<DellConfig> {
    const { output, refusal } = await this.#run('show-command', 'running-config', signal);
    if (output === '') throw new Error(`the switch does not show its configuration: ${refusal ?? 'it is empty'}`);
    return dellConfigFrom(output, this.#type);
  }

  /** What the command line printed, and what it had against it. */
  async #run(
    kind: 'config-commands' | 'show-command' | 'exec-command',
    commands: string,
    signal: AbortSignal,
  ): Promise<{ readonly output: string; readonly refusal: string | null }> {
    const { status, text } = await this.#http.ask(
      {
        method: 'POST',
        path: '/api/running/dell/_operations/cli',
        headers: { 'content-type': media, accept: media },
        body: `<input><${kind}>${escapeXml(commands)}</${kind}></input>`,
        ...(kind === 'show-command' && { isQuestion: true }),
        done: '<output><command></command></output>',
      },
      signal,
    );
    if (status !== 200) {
      const message = status >= 500 ? undefined : errorMessageIn(text);
      if (message === undefined) throw new Error(`the switch answers HTTP ${status}: "${oneLine(text)}"`);
      return { output: '', refusal: message };
    }
    const output = errorMessageIn(text) === undefined ? textAt(documentIn(text), 'output', 'command') : undefined;
    if (output === undefined) throw new Error(`the switch answers "${oneLine(text)}"`);
    return { output, refusal: complaintIn(output) };
  }
}

/**
 * OS9 begins its complaints with a percent sign, but for a few, and messages of its log too. What follows the first one
 * is mostly its consequence.
 */
const complaintIn = (output: string): string | null => {
  const complaint = output
    .split(/\r?\n/)
    .find(
      (line) =>
        /^\s*(?:%(?!\s*(?:Warning|Info))|(?:Error|Failed|Failure|Command failed)\b)/i.test(line) && !isLogLine(line),
    );
  return complaint === undefined ? null : oneLine(complaint);
};
