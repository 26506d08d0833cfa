import { Type } from '@sinclair/typebox';
import { shown } from '../../../schema/shown-fields.ts';
import type { SwitchDriver, SwitchTarget } from '../switch-contract.ts';
import { placesAt } from '../switch-addresses.ts';
import { passwordOrKeyFields, sshLoginFrom } from '../ssh-login.ts';
import { portName, wire } from './junos-ports.ts';
import { DryNetconf } from './dry-netconf.ts';
import { JunosSession } from './junos-session.ts';
import { NetconfClient } from './netconf-client.ts';

const netconfPort = 830;
/** Enough for a slow virtual chassis to commit and be read; short enough that a dead process is soon undone. */
const defaultConfirmSeconds = 120;

const confirmTimeout = Type.Integer({
  minimum: 1,
  maximum: 3600,
  description: `seconds after which a commit that was not confirmed is rolled back, ${defaultConfirmSeconds} if not given`,
});

/** Juniper switches with the enhanced Layer 2 software (EX, QFX), over NETCONF. */
export const junosSwitch: SwitchDriver = {
  config: passwordOrKeyFields(netconfPort, { confirm_timeout: Type.Optional(shown(confirmTimeout)) }),
  capabilities: ['nativeless-trunk-mode'],
  portName,
  wire,
  places: (config) => {
    const { host, port } = sshLoginFrom(config, netconfPort);
    return placesAt(host, port);
  },
  hosts: (config) => [sshLoginFrom(config, netconfPort).host],
  open: async (target, signal) =>
    new JunosSession(await connect(target, signal), { ...optionsFrom(target), comparesEdits: true }),
  openDry: async (target, held, signal) => {
    const direct = await connect(target, signal);
    return new JunosSession(new DryNetconf(direct, held), { ...optionsFrom(target), comparesEdits: false, direct });
  },
};

const optionsFrom = ({ config }: SwitchTarget) => {
  const seconds = config['confirm_timeout'];
  return { confirmSeconds: typeof seconds === 'number' ? seconds : defaultConfirmSeconds };
};

const connect = async ({ config, permit, outbound }: SwitchTarget, signal: AbortSignal): Promise<NetconfClient> => {
  const client = await NetconfClient.open(sshLoginFrom(config, netconfPort), signal, { permit, outbound });
  const missing = ['candidate', 'confirmed-commit', 'validate'].filter((capability) => !client.offers(capability));
  if (missing.length > 0) {
    await client.close();
    throw new Error(`the device does not offer ${missing.join(', ')} over NETCONF, as Junos does`);
  }
  return client;
};
