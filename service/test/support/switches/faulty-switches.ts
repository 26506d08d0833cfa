import { fileURLToPath } from 'node:url';
import { Type } from '@sinclair/typebox';
import type { PortConfig, SwitchDriver, SwitchSession } from '../../../src/drivers/switches/switch-contract.ts';

/*
 * An extension, named in the configuration like any other: types of switch with a fault that a mock switch
 * does not have. They cannot save, nor show what nobody asks for, and remember their ports for as long as the
 * process lives.
 */

/** The setting that plugs these in. */
export const oddSwitches = { CORRAL_EXTENSIONS: fileURLToPath(import.meta.url) };

const memory = new Map<string, PortConfig>();

const remembering = (label: string): SwitchSession => ({
  apply: (ports) => {
    for (const state of ports) memory.set(`${label} ${state.port}`, state);
    return Promise.resolve(ports.map(({ port }) => ({ port, applied: true as const })));
  },
  read: (ports) =>
    Promise.resolve(ports.map((port) => memory.get(`${label} ${port}`) ?? { port, native: null, tagged: [] })),
  close: () => Promise.resolve(),
});

const plain: SwitchDriver = {
  config: Type.Object({ hostname: Type.String() }, { additionalProperties: false }),
  capabilities: [],
  portName: (name) => name,
  open: ({ label }) => Promise.resolve(remembering(label)),
};

/** @public The service takes it from the module that the setting names. */
export const switches: Readonly<Record<string, SwitchDriver>> = {
  /** Has no port whose name begins with `gone`, whoever registered it. */
  gappy: {
    ...plain,
    open: ({ label }) => {
      const session = remembering(label);
      const read: SwitchSession['read'] = async (ports, signal) =>
        (await session.read(ports, signal)).filter(({ port }) => !port.startsWith('gone'));
      return Promise.resolve({ ...session, read });
    },
  },
  /** Repeats its password wherever it tells addresses, and takes something else for an address if its label says so. */
  repeating: {
    ...plain,
    config: Type.Object({ password: Type.String() }, { additionalProperties: false }),
    open: ({ label, config }) => {
      const secret = String(config['password']);
      const neighbours: SwitchSession['neighbours'] = () => {
        if (label.endsWith('throws')) return Promise.reject(new Error(`no, ${secret}`));
        if (label.endsWith('refuses')) return Promise.resolve({ refused: `not with ${secret}` });
        const mac = label.endsWith('lies') ? 'none' : '02:00:5e:00:53:01';
        return Promise.resolve([{ port: `port ${secret}`, mac, vlan: null }]);
      };
      return Promise.resolve({ ...remembering(label), neighbours });
    },
  },
  /** Drops the line whenever it is told anything about a port whose name begins with `bad`. */
  jammed: {
    ...plain,
    open: ({ label }) => {
      const session = remembering(label);
      const apply: SwitchSession['apply'] = (ports, signal) =>
        ports.some(({ port }) => port.startsWith('bad'))
          ? Promise.reject(new Error('connection reset by peer'))
          : session.apply(ports, signal);
      return Promise.resolve({ ...session, apply });
    },
  },
};
