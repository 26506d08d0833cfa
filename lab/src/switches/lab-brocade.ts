import { type BrocadeExtra, BrocadeModel } from './brocade-model.ts';
import { brocadeRest } from './lab-brocade-rest.ts';
import { labUser, type LabHttpSwitch, startHttpServer } from './lab-http-server.ts';

const kind = 'TenGigabitEthernet';

/** How the device differs from a recent one. */
export interface LabBrocadeOptions {
  /** It lists no more than names, whatever depth is asked for. */
  readonly listsNamesOnly?: boolean;
}

/** A scripted Brocade VDX, and what an operator can do to it that Corral does not. */
export interface LabBrocade extends LabHttpSwitch {
  /** Configures something on an interface beside its switchport; nothing takes everything of that kind away again. */
  configure(port: string, ...extras: readonly BrocadeExtra[]): void;
  /** Makes a session that sends copies of other ports' frames to this one, or takes them all away. */
  mirrorTo(port: string | null): void;
}

/** A scripted Brocade VDX. */
export const startBrocade = async (options: LabBrocadeOptions = {}): Promise<LabBrocade> => {
  const ports = Array.from({ length: 240 }, (_, index) => `${1 + Math.floor(index / 48)}/0/${1 + (index % 48)}`);
  const model = new BrocadeModel(ports);
  const server = await startHttpServer('http', brocadeRest(model, kind, options.listsNamesOnly ?? false));
  return {
    fields: { hostname: `http://127.0.0.1:${server.port}`, ...labUser, interface_type: kind },
    ports,
    unknownPort: '9/0/1',
    refusedVlan: 4090,
    carried: (port) => Promise.resolve(model.carried(port)),
    tamper: async (port, { native, tagged }) => {
      for (const vlan of [...tagged, ...(native === null ? [] : [native])]) model.vlans.add(vlan);
      model.change(port, (one) => {
        Object.assign(one, { shutdown: false, switchport: true, tagNative: false, allowsAll: false });
        Object.assign(one, tagged.length === 0 ? { mode: 'access', accessVlan: native } : { mode: 'trunk' });
        if (tagged.length > 0) Object.assign(one, { nativeVlan: native, allowed: new Set(tagged) });
      });
      return Promise.resolve();
    },
    breakLine: (fault) => server.breakLine(fault),
    makeOdd: (port) =>
      model.change(port, (one) =>
        Object.assign(one, { shutdown: false, switchport: true, mode: 'trunk-no-default-native', allowsAll: true }),
      ),
    configure: (port, ...extras) => model.change(port, (one) => (one.extras = extras)),
    mirrorTo: (port) => {
      model.mirrors.clear();
      if (port !== null) model.mirrors.set(port, mirrorSession(port));
    },
    asked: () => server.asked(),
    received: () => server.received(),
    moments: (port) => model.moments.take(port),
    watch: (port) => model.moments.watch(port, model.carried(port)),
    stop: () => server.stop(),
  };
};

const mirrorSession = (port: string): string => `<session xmlns="urn:brocade.com:mgmt:brocade-span" y:self="/x">
  <session-number>1</session-number>
  <description>copies of 1/0/48</description>
  <span-command><source>tengigabitethernet</source><src-tengigabitethernet-val>1/0/48</src-tengigabitethernet-val>
  <destination>tengigabitethernet</destination><dest-tengigabitethernet-val>${port}</dest-tengigabitethernet-val>
  <direction>both</direction></span-command>
</session>
`;
