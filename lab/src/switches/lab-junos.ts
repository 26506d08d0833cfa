import { JunosBox, junosPorts, type LabJunosOptions } from './junos-box.ts';
import { carriedBy } from './lab-junos-config.ts';
import type { LabPort, LabSwitch } from './lab-switch.ts';
import { startFaultRelay } from './fault-relay.ts';
import { startNetconfServer } from './lab-netconf.ts';
import { newKeyPair } from './ssh-server.ts';
import { format } from './lab-xml.ts';

/** A scripted Junos switch. */
export interface LabJunos extends LabSwitch {
  readonly fingerprint: string;
  readonly hostKey: string;
  /** A key that is accepted as well as the password. */
  readonly privateKey: string;
  /** The names of the operations that it was asked for, in order; `commit confirmed` is its own. */
  readonly operations: readonly string[];
  /** Called for each operation before it is answered. */
  onOperation: (operation: string) => void;
  /** An operator commits a change, as the content of `<configuration>`. */
  configure(changes: string): void;
  /** An operator changes the candidate and does not commit it. */
  leaveUncommitted(changes: string): void;
  /** An operator is in `configure exclusive`, or leaves it. */
  setExclusive(isExclusive: boolean): void;
  /** The committed configuration. */
  configuration(): string;
}

const username = 'corral';
const password = 'lab-secret';

/** Starts one on loopback, behind a line that can be broken. */
export const startJunosSwitch = async (options: LabJunosOptions = {}): Promise<LabJunos> => {
  const box = new JunosBox(options);
  const keys = newKeyPair();
  const account = {
    username,
    password,
    publicKey: keys.publicKey,
    isKeyboardInteractive: true,
    isOld: options.isOld ?? false,
  };
  const server = await startNetconfServer(account, options.framing ?? 'end-of-message', box);
  const line = await startFaultRelay({ port: server.port });
  return {
    fields: { hostname: '127.0.0.1', port: line.port, username, password },
    ports: junosPorts,
    unknownPort: 'ge-9/0/99',
    refusedVlan: 5000,
    carried: (port) => Promise.resolve(carriedBy(box.running, port)),
    tamper: (port, state) => {
      box.commitFor(tampering(port, state, format(box.running)));
      return Promise.resolve();
    },
    watch: (port) => box.moments.watch(port, carriedBy(box.running, port)),
    get serial() {
      return box.serial;
    },
    set serial(serial) {
      box.serial = serial;
    },
    learn: (learned) => {
      box.learned = learned;
    },
    breakLine: (fault) => line.breakLine(fault),
    stop: async () => {
      box.stop();
      await line.stop();
      await server.stop();
    },
    fingerprint: server.fingerprint,
    hostKey: server.hostKey,
    privateKey: keys.privateKey,
    operations: box.operations,
    received: () => [...box.received],
    get onOperation() {
      return box.onOperation;
    },
    set onOperation(listener) {
      box.onOperation = listener;
    },
    configure: (changes) => box.commitFor(changes),
    leaveUncommitted: (changes) => box.editCandidate(changes),
    setExclusive: (isExclusive) => box.setExclusive(isExclusive),
    configuration: () => format(box.running),
  };
};

/** What somebody types who wants a port to carry this. */
const tampering = (port: string, { native, tagged }: LabPort, present: string): string => {
  const ids = [...(native === null ? [] : [native]), ...tagged];
  const missing = ids.filter((id) => !present.includes(`<vlan-id>${id}</vlan-id>`));
  return `<vlans>${missing.map((id) => `<vlan><name>by-hand-${id}</name><vlan-id>${id}</vlan-id></vlan>`).join('')}</vlans>
<interfaces><interface operation="replace"><name>${port}</name>${native !== null && tagged.length > 0 ? `<native-vlan-id>${native}</native-vlan-id>` : ''}
<unit><name>0</name><family><ethernet-switching><interface-mode>${tagged.length > 0 ? 'trunk' : 'access'}</interface-mode>
<vlan>${ids.map((id) => `<members>${id}</members>`).join('')}</vlan></ethernet-switching></family></unit></interface></interfaces>`;
};
