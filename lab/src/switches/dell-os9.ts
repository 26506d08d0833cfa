import { Os9Cli } from './dell-os9-cli.ts';
import { Os9Model } from './dell-os9-model.ts';
import {
  type LabHttpRequest,
  labUser,
  type LabHttpSwitch,
  startHttpServer,
  type LabHttpResponse,
} from './lab-http-server.ts';
import { escape, parse } from './lab-xml.ts';

const kind = 'GigabitEthernet';
const longestCommand = 1000;

/** A scripted Dell switch with OS9, and what an operator can do to it that Corral does not. */
export interface LabDellOs9 extends LabHttpSwitch {
  /** Types lines into a port's section, and other sections; nothing takes all of that away again. */
  configure(port: string, lines?: readonly string[], sections?: readonly string[], carries?: readonly number[]): void;
}

/** A scripted Dell switch with OS9: a stack of five S3048. */
export const startDellOs9 = async (): Promise<LabDellOs9> => {
  const ports = Array.from({ length: 240 }, (_, index) => `${1 + Math.floor(index / 48)}/${1 + (index % 48)}`);
  const model = new Os9Model(ports);
  const cli = new Os9Cli(model, kind);
  const server = await startHttpServer('http', answerWith(cli));
  return {
    fields: { hostname: `127.0.0.1:${server.port}`, ...labUser, interface_type: kind },
    ports,
    unknownPort: '9/1',
    refusedVlan: 4094,
    carried: (port) => Promise.resolve(model.carried(port)),
    tamper: (port, { native, tagged }) => {
      model.change(port, (one) => Object.assign(one, { shutdown: false, switchport: true, hybrid: tagged.length > 0 }));
      for (const { tagged: some, untagged } of model.vlans.values()) [some, untagged].map((set) => set.delete(port));
      for (const vlan of tagged) model.join(vlan, 'tagged', port);
      if (native !== null && native !== model.defaultVlan) model.join(native, 'untagged', port);
      return Promise.resolve();
    },
    breakLine: (fault) => server.breakLine(fault),
    makeOdd: (port) =>
      model.change(port, (one) => Object.assign(one, { shutdown: false, switchport: true, isStacked: true })),
    configure: (port, lines = [], sections = [], carries = []) => {
      model.extras = [{ port, sections, carries }];
      model.change(port, (one) => (one.lines = lines));
    },
    get serial() {
      return cli.serial;
    },
    set serial(serial) {
      cli.serial = serial;
    },
    asked: () => server.asked(),
    received: () => server.received(),
    moments: (port) => model.moments.take(port),
    watch: (port) => model.moments.watch(port, model.carried(port)),
    stop: () => server.stop(),
  };
};

const answerWith =
  (cli: Os9Cli) =>
  ({ method, path, body }: LabHttpRequest): LabHttpResponse => {
    if (method !== 'POST' || path !== '/api/running/dell/_operations/cli')
      return fault(404, 'invalid-value', 'uri keypath not found');
    const [kindOfCommand, commands] = inputOf(body);
    if (commands === undefined || commands.length > longestCommand)
      return fault(400, 'malformed-message', 'invalid value for: command in /dell:cli/dell:input');
    if (kindOfCommand === 'config-commands') return transcript(cli.configure(commands));
    if (kindOfCommand === 'show-command') return transcript(cli.show(commands));
    if (kindOfCommand === 'exec-command') return transcript(cli.execute(commands));
    return fault(400, 'unknown-element', 'unknown element');
  };

/** The one command tag inside `<input>`, and its text. */
const inputOf = (body: string): readonly [string?, string?] => {
  const [input] = parse(body);
  const [only, ...more] = input?.name === 'input' ? input.children : [];
  return only && more.length === 0 ? [only.name, only.text] : [];
};

const transcript = (text: string): LabHttpResponse => ({
  status: 200,
  type: 'application/vnd.yang.operation+xml',
  body: `<output xmlns='http://www.dell.com/ns/dell:0.1/root'>\n  <command>${escape(text)}</command>\n</output>\n`,
});

const fault = (status: number, tag: string, message: string): LabHttpResponse => ({
  status,
  type: 'application/vnd.yang.errors+xml',
  body: `<errors xmlns="http://tail-f.com/ns/tailf-rest">\n  <error>\n    <error-tag>${tag}</error-tag>\n    <error-message>${escape(message)}</error-message>\n  </error>\n</errors>\n`,
});
