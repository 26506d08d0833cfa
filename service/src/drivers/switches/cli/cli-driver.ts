import type { PortConfig, SwitchDriver, SwitchSession, SwitchTarget } from '../switch-contract.ts';
import { placesAt } from '../switch-addresses.ts';
import { type CliDevice, lackedBy, readAllPorts, readPorts, saveConfig } from './cli-device.ts';
import type { Dialect, ShownPort } from './dialect.ts';
import { aboutOf, identityOf, type IdentityQuestions } from './cli-identity.ts';
import { dummyVlanFrom, loginFrom } from './cli-login.ts';
import { applyPorts } from './apply-ports.ts';
import { neighboursOf } from './mac-tables.ts';
import { dryDevice } from './dry-device.ts';
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
  const { config, capabilities, hasLegacyType, refuse, wire } = dialect;
  const how = { dialect, identity };
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
    open: (target, signal) => openCli(how, target, signal, (device) => device),
    openDry: (target, held, signal) => openCli(how, target, signal, (device) => dryDevice(device, held)),
  };
};

/** `changing`: the device that changes are sent to. */
const openCli = async (
  { dialect, identity }: { readonly dialect: Dialect; readonly identity: IdentityQuestions | undefined },
  { config: fields, permit, outbound }: SwitchTarget,
  signal: AbortSignal,
  changing: (device: CliDevice) => CliDevice,
): Promise<SwitchSession> => {
  const { save, modes, neighbours } = dialect;
  const session = await CliSession.open(loginFrom(fields), dialect.syntax, signal, { permit, outbound });
  const reads: CliDevice = { dialect, session, deadVlan: dummyVlanFrom(fields) };
  const changes = changing(reads);
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
    apply: (ports, until) => guarded(applyPorts({ reads, changes }, ports, until)),
    read: (ports, until) => guarded(readPorts(reads, ports, until).then(carriedNow)),
    readAll: (until) => guarded(readAllPorts(reads, until).then(carriedNow)),
    ...(identity && {
      identity: (until: AbortSignal) => guarded(identityOf(reads, identity, until)),
      about: (until: AbortSignal) => guarded(aboutOf(reads, identity, until)),
    }),
    ...(modes && { lacks: (until: AbortSignal) => guarded(lackedBy(reads, until)) }),
    ...(neighbours && { neighbours: (until: AbortSignal) => guarded(neighboursOf(reads, neighbours, until)) }),
    ...(save && { save: (until: AbortSignal) => guarded(saveConfig(changes, save, until)) }),
    close: () => {
      session.close();
      return Promise.resolve();
    },
  };
};

const carriedNow = (ports: readonly ShownPort[]): readonly PortConfig[] =>
  ports.map(({ port, native, tagged, unclear }) => ({
    ...{ port, native, tagged },
    ...(unclear !== undefined && { unclear }),
  }));
