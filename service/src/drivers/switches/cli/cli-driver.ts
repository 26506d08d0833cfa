import type { PortConfig, SwitchDriver } from '../switch-contract.ts';
import { placesAt } from '../switch-addresses.ts';
import { type CliDevice, readAllPorts, readPorts, saveConfig } from './cli-device.ts';
import type { Dialect, ShownPort } from './dialect.ts';
import { identityOf, type IdentityQuestions } from './cli-identity.ts';
import { dummyVlanFrom, loginFrom } from './cli-login.ts';
import { applyPorts } from './apply-ports.ts';
import { CliSession } from './cli-session.ts';

/** Which device is at the other end. */
interface DeviceIdentityOptions {
  /** How the device tells which one it is. Not there: it does not. */
  readonly identity?: IdentityQuestions;
  /** Who logs in decides which switch it is: several are behind one address. */
  readonly isPerUser?: true;
}

/** The driver of a switch with a command line over SSH. */
export const cliSwitch = (dialect: Dialect, { identity, isPerUser }: DeviceIdentityOptions = {}): SwitchDriver => {
  const { config, capabilities, hasLegacyType, refuse, save, wire } = dialect;
  return {
    config,
    capabilities,
    ...(hasLegacyType && { hasLegacyType }),
    ...(refuse && { refuse }),
    portName: (name) => dialect.portName(name),
    ...(wire && { wire }),
    places: (fields) => {
      const { host, port, username } = loginFrom(fields);
      return placesAt(host, port, isPerUser ? `user ${username}` : '');
    },
    hosts: (fields) => [loginFrom(fields).host],
    open: async ({ config: fields, permit, outbound }, signal) => {
      const session = await CliSession.open(loginFrom(fields), dialect.syntax, signal, { permit, outbound });
      const device: CliDevice = { dialect, session, deadVlan: dummyVlanFrom(fields) };
      // After a fault nobody knows in which mode the device is: such a line is not used again.
      const guarded = async <T>(work: Promise<T>): Promise<T> => {
        try {
          return await work;
        } catch (error) {
          session.close();
          throw error;
        }
      };
      return {
        apply: (ports, until) => guarded(applyPorts(device, ports, until)),
        read: (ports, until) => guarded(readPorts(device, ports, until).then(carriedNow)),
        readAll: (until) => guarded(readAllPorts(device, until).then(carriedNow)),
        ...(identity && { identity: (until: AbortSignal) => guarded(identityOf(device, identity, until)) }),
        ...(save && { save: (until: AbortSignal) => guarded(saveConfig(device, save, until)) }),
        close: () => {
          session.close();
          return Promise.resolve();
        },
      };
    },
  };
};

const carriedNow = (ports: readonly ShownPort[]): readonly PortConfig[] =>
  ports.map(({ port, native, tagged, unclear }) => ({
    ...{ port, native, tagged },
    ...(unclear !== undefined && { unclear }),
  }));
