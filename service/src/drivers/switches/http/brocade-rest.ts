import { oneLine } from '../device-text.ts';
import { type Element, findAll, textAt } from '@corral/base/xml';
import { type BrocadePort, brocadePortFrom } from './brocade-port.ts';
import type { Write } from './brocade-writes.ts';
import { documentIn, errorMessageIn } from './xml-documents.ts';
import type { SwitchHttpResponse, SwitchHttp } from './switch-http-client.ts';
import { slashedPortName } from './http-port-names.ts';

const running = '/rest/config/running';
const interfaces = `${running}/interface`;
const configuration = 'application/vnd.configuration.resource+xml';
const operation = 'application/vnd.operations.resource+xml';
/** How deep the allowed VLANs lie below a list of interfaces, and some to spare. */
const deep = '10';

/** The resources of Network OS that matter here, for ports of one kind. */
export class BrocadeRest {
  readonly #http: SwitchHttp;
  readonly #type: string;

  constructor(http: SwitchHttp, interfaceType: string) {
    this.#http = http;
    this.#type = interfaceType;
  }

  /** The names of all interfaces of a kind. */
  async names(type: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const found = await this.#get(type, '1', signal);
    return new Set(found.flatMap((element) => textAt(element, 'name') ?? []));
  }

  /** Every port with all that is configured for it; asked one by one where the list does not go deep enough. */
  async everyPort(signal: AbortSignal): Promise<ReadonlyMap<string, BrocadePort>> {
    const ports = new Map<string, BrocadePort>();
    const mirrors = await this.#mirrors(signal);
    for (const element of await this.#get(this.#type, deep, signal)) {
      const name = slashedPortName(textAt(element, 'name') ?? '');
      if (typeof name !== 'string') continue;
      const port = brocadePortFrom(element) ?? (await this.#port(name, signal));
      if (port !== null) ports.set(name, mirrored(port, mirrors));
    }
    return ports;
  }

  /** Those of the named ports that the switch has. */
  async ports(names: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, BrocadePort>> {
    const ports = new Map<string, BrocadePort>();
    const mirrors = names.length === 0 ? [] : await this.#mirrors(signal);
    for (const name of names) {
      const port = await this.#port(name, signal);
      if (port !== null) ports.set(name, mirrored(port, mirrors));
    }
    return ports;
  }

  async #port(name: string, signal: AbortSignal): Promise<BrocadePort | null> {
    const [element, ...more] = await this.#get(`${this.#type}/%22${name}%22`, deep, signal);
    if (element === undefined) return null;
    const port = brocadePortFrom(element);
    if (port === null) throw new Error(`the switch does not show how port ${name} is configured`);
    if (port.name !== name || more.length > 0)
      throw new Error(`the switch answers for ${port.name} instead of ${name}`);
    return port;
  }

  /** Changes one of the ports. Null if it is so now, else why not. */
  writeToPort(name: string, write: Write, signal: AbortSignal): Promise<string | null> {
    return this.#write(`${interfaces}/${this.#type}/%22${name}%22`, write, signal);
  }

  /** Makes a VLAN. Null if there is one now, else why not. */
  makeVlan(vlan: number, signal: AbortSignal): Promise<string | null> {
    const body = `<Vlan><name>${vlan}</name></Vlan>`;
    return this.#write(interfaces, { method: 'POST', resource: '', body, already: 409 }, signal);
  }

  /** Has an operation run, and gives this element of its output; `done`: what that is if all goes well. */
  async operate(
    name: string,
    input: string,
    { element, done }: { readonly element: string; readonly done: string },
    signal: AbortSignal,
  ): Promise<string> {
    const answer = await this.#http.ask(
      {
        method: 'POST',
        path: `/rest/operations/${name}`,
        headers: { 'content-type': operation },
        body: `<${name}>${input}</${name}>`,
        done: `<output><${element}>${done}</${element}></output>`,
      },
      signal,
    );
    if (answer.status >= 300) throw new Error(`the switch refuses ${name}: ${refusalIn(answer)}`);
    const [said] = findAll(documentIn(answer.text), element);
    if (!said || said.children.length > 0 || !/^[\w-]+$/.test(said.text))
      throw new Error(`the switch answers ${name} with "${oneLine(answer.text)}"`);
    return said.text;
  }

  /** What the sessions that mirror frames say of where the copies go. */
  async #mirrors(signal: AbortSignal): Promise<readonly string[]> {
    const answer = await this.#http.ask(
      {
        method: 'GET',
        path: `${running}/monitor/session`,
        headers: { accept: configuration, 'resource-depth': deep },
      },
      signal,
    );
    if (answer.status === 404 || answer.status === 204) return [];
    if (answer.status !== 200) throw new Error(`the switch answers HTTP ${answer.status}: ${refusalIn(answer)}`);
    return findAll(documentIn(answer.text), 'session')
      .flatMap(leavesOf)
      .flatMap(({ name, text }) => (/^(?:src|source|description)/.test(name) ? [] : text));
  }

  async #write(place: string, { method, resource, body, already }: Write, signal: AbortSignal): Promise<string | null> {
    const answer = await this.#http.ask(
      {
        method,
        path: `${place}${resource}`,
        ...(body === undefined ? {} : { headers: { 'content-type': configuration }, body }),
      },
      signal,
    );
    // A success that has an error in its body is none.
    if (answer.status < 300) return errorMessageIn(answer.text) ?? null;
    return answer.status === already ? null : refusalIn(answer);
  }

  async #get(resource: string, depth: string, signal: AbortSignal): Promise<readonly Element[]> {
    const answer = await this.#http.ask(
      {
        method: 'GET',
        path: `${interfaces}/${resource}`,
        headers: { accept: configuration, 'resource-depth': depth },
      },
      signal,
    );
    if (answer.status === 404 || answer.status === 204) return [];
    // A key that names nothing may also be called a bad value.
    if (answer.status === 400 && resource.includes('/')) return [];
    if (answer.status !== 200) throw new Error(`the switch answers HTTP ${answer.status}: ${refusalIn(answer)}`);
    const found = findAll(documentIn(answer.text), resource.split('/')[0] ?? '');
    if (found.length === 0) throw new Error(`the switch answers "${oneLine(answer.text)}"`);
    return found;
  }
}

const leavesOf = (element: Element): readonly Element[] =>
  element.children.length === 0 ? [element] : element.children.flatMap(leavesOf);

/** A port that copies of other ports' frames may leave by. Ports of another kind with the same number count too. */
const mirrored = (port: BrocadePort, mirrors: readonly string[]): BrocadePort =>
  mirrors.some((text) => text.split(/\s+/).at(-1) === port.name)
    ? { ...port, unclear: [...port.unclear, `monitor session destination ${port.name}`] }
    : port;

/** The device's own words. Trouble of its own, told without any, is a fault that may pass. */
const refusalIn = ({ status, text }: SwitchHttpResponse): string => {
  const message = status === 503 ? undefined : errorMessageIn(text);
  if (message === undefined && status >= 500) throw new Error(`the switch answers HTTP ${status}: "${oneLine(text)}"`);
  return message ?? `the switch answers HTTP ${status}: "${oneLine(text)}"`;
};
