import { callDevice, type DeviceGuard } from '@corral/base/guarded-device';
import { redact } from '@corral/base/secrets/redact';
import {
  isRefusal,
  type PortConfig,
  type SwitchDriver,
  type SwitchSession,
  type SwitchTarget,
} from '../drivers/switches/switch-contract.ts';
import { badArgument, illegalState, notFound } from './corral-error.ts';
import { findNetwork, findNic, findNode, findSwitch } from './find-objects.ts';
import { withFreshRights } from './fresh-rights.ts';
import { channelsOf } from './networks.ts';
import { portStateOf, type PortReading, type PortState, readingOf } from './port-state.ts';
import type { ReadOp, RequestContext } from './request-context.ts';
import { switchWith } from './switch-identity.ts';
import { secretsIn } from './switch-secrets.ts';
import { driverOf, fieldsOf, requireUsable } from './switches.ts';

/** A port and what it would be put into: by its name, or as the port of a nic with one more network. */
type WantedPort =
  | { readonly port: string; readonly native: number | null; readonly tagged: readonly number[] }
  | { readonly node: string; readonly nic: string; readonly network: string; readonly channel?: string };

interface SwitchTest {
  readonly switch: string;
  /** Type and fields to use instead of those that are registered. */
  readonly as?: Readonly<Record<string, unknown>> & { readonly type: string };
  readonly dry_run?: WantedPort;
}

interface TestedPort {
  readonly port: string;
  readonly registered: boolean;
  readonly node: string | null;
  readonly nic: string | null;
  /** null: the switch has no such port. */
  readonly carries: PortReading | null;
}

interface DryRun extends PortReading {
  readonly port: string;
  /** Why the port would not be changed; null: it would. */
  readonly refused: string | null;
  /** What would be sent, message by message. */
  readonly sends: readonly string[];
}

/** What a first session with a switch found out. */
export interface SwitchTestView {
  readonly switch: string;
  readonly type: string;
  /** What did not work; what comes after it was not tried. null: everything worked. */
  readonly fault: string | null;
  readonly identity: string | null;
  readonly about: string | null;
  /** What the login may not do; null: the switch cannot be asked. */
  readonly lacks: readonly string[] | null;
  readonly ports: readonly TestedPort[];
  readonly dry_run: DryRun | null;
}

type Found = { -readonly [Part in Exclude<keyof SwitchTestView, 'switch' | 'type'>]: SwitchTestView[Part] };

/**
 * Opens a session of its own with a switch, registered or not, and tells what it finds. Nothing is changed: the driver
 * holds back what would, and shows it. The engine's own session goes on beside it.
 */
export const switchTest = async (context: RequestContext, args: SwitchTest): Promise<SwitchTestView> => {
  const view = await withFreshRights(
    () => preparation(context, args),
    (prepared, rights) =>
      // Those who ask after an update do not share what was asked for before it.
      context.devices.query(
        `switch test ${JSON.stringify([args, prepared.target.config])}`,
        { project: null, at: args.switch },
        () => {
          rights.check();
          return run(context, prepared);
        },
      ),
  );
  const second = await context.read((op) => secondRecord(op, view));
  await context.requireRights();
  return { ...view, fault: view.fault ?? second };
};

interface Preparation {
  readonly type: string;
  readonly driver: SwitchDriver;
  readonly target: SwitchTarget;
  readonly ports: readonly Omit<TestedPort, 'carries' | 'registered'>[];
  readonly wanted: PortConfig | null;
}

const preparation = async (context: RequestContext, args: SwitchTest): Promise<Preparation> => {
  const { as, switch: label } = args;
  const { outbound, vault } = context.dependencies;
  if (as !== undefined) {
    const { type: name, ...fields } = as;
    const { type, driver } = requireUsable(context, { switch: label, type: name, fields });
    const { ports, wanted } = await context.read(async (op) => ({
      ports: await portsOf(op, label),
      wanted: await wantedPort(op, args, driver),
    }));
    return { type, driver, target: { label, config: fields, outbound }, ports, wanted };
  }
  return context.read(async (op) => {
    const found = await findSwitch(op, label);
    const driver = driverOf(context.dependencies, found.type);
    const config = fieldsOf({ vault }, found);
    return {
      type: found.type,
      driver,
      target: { label, config, outbound },
      ports: await portsOf(op, label),
      wanted: await wantedPort(op, args, driver),
    };
  });
};

/** The registered ports of a switch; none if there is no such switch. */
const portsOf = ({ tx }: ReadOp, label: string): Promise<Preparation['ports']> =>
  tx
    .selectFrom('switches')
    .innerJoin('ports', 'ports.switch_id', 'switches.id')
    .leftJoin('nics', 'nics.port_id', 'ports.id')
    .leftJoin('nodes', 'nodes.id', 'nics.node_id')
    .select(['ports.label as port', 'nodes.label as node', 'nics.label as nic'])
    .where('switches.label', '=', label)
    .orderBy('ports.label')
    .execute();

const wantedPort = async (op: ReadOp, args: SwitchTest, driver: SwitchDriver): Promise<PortConfig | null> => {
  const wanted = args.dry_run;
  if (wanted === undefined) return null;
  if ('node' in wanted) return portOfNic(op, args.switch, wanted);
  const port = driver.portName(wanted.port);
  if (isRefusal(port)) throw badArgument(`port ${JSON.stringify(wanted.port)}: ${port.refused}`);
  return { port, native: wanted.native, tagged: sorted(wanted.tagged) };
};

/** The port of a nic, as it would be with one more network. */
const portOfNic = async (
  op: ReadOp,
  label: string,
  { channel = 'vlan/native', ...names }: Extract<WantedPort, { readonly node: string }>,
): Promise<PortConfig> => {
  const node = await findNode(op, names.node);
  const nic = await findNic(op, node, names.nic);
  const network = await findNetwork(op, names.network);
  const legal = channelsOf(network);
  if (!legal.includes(channel))
    throw badArgument(`channel ${channel} is not legal for network ${network.label}; legal are ${legal.join(' and ')}`);
  const port = await op.tx
    .selectFrom('ports')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .select(['ports.label', 'switches.label as switch'])
    .where('ports.id', '=', nic.port_id)
    .executeTakeFirst();
  if (!port) throw notFound(`nic ${nic.label} of node ${node.label} is not connected to a switch port`);
  if (port.switch !== label)
    throw badArgument(`nic ${nic.label} of node ${node.label} is on switch ${port.switch}, not on ${label}`);
  return { port: port.label, ...withNetwork(await portStateOf(op.tx, nic.id), channel, network.vlan) };
};

const withNetwork = ({ native, tagged }: PortState, channel: string, vlan: number): PortState => {
  const others = tagged.filter((other) => other !== vlan);
  return channel === 'vlan/native'
    ? { native: vlan, tagged: others }
    : { native: native === vlan ? null : native, tagged: sorted([...others, vlan]) };
};

const sorted = (vlans: readonly number[]): readonly number[] => [...new Set(vlans)].sort((a, b) => a - b);

/** How the calls to a switch under test are made. */
type Call = <T>(what: string, ports: number, call: (signal: AbortSignal) => Promise<T>) => Promise<T>;

const run = async (context: RequestContext, prepared: Preparation): Promise<SwitchTestView> => {
  const { driver, target, type } = prepared;
  const secrets = secretsIn(target.config);
  const guard = (what: string, ports: number): DeviceGuard => {
    const ms = context.dependencies.switchTimeout(ports);
    return { ms, late: () => new Error(`it did not ${what} within ${ms / 1000} s`), signals: [], secrets };
  };
  const call: Call = (what, ports, work) => callDevice(guard(what, ports), work);
  const clean = (text: string): string => redact(text, secrets);
  const found: Found = { fault: null, identity: null, about: null, lacks: null, ports: [], dry_run: null };
  let held: string[] = [];
  let session: SwitchSession | null = null;
  try {
    session = await call('accept the login', 1, (signal) =>
      driver.openDry
        ? driver.openDry(target, (message) => held.push(clean(message)), signal)
        : driver.open(target, signal),
    );
    await examine(prepared.ports, { session, call, clean, found });
    if (prepared.wanted !== null) {
      held = [];
      const { refused } = await dryRun(driver, session, prepared.wanted, call);
      const { port, ...state } = prepared.wanted;
      found.dry_run = { port, ...readingOf(state), refused: refused === null ? null : clean(refused), sends: held };
    }
  } catch (error) {
    found.fault = clean(error instanceof Error ? error.message : String(error));
  } finally {
    await session?.close().catch(() => undefined);
  }
  return { switch: target.label, type, ...found };
};

interface Examination {
  readonly session: SwitchSession;
  readonly call: Call;
  readonly clean: (text: string) => string;
  readonly found: Found;
}

/** One question after the other, so that a fault is reported together with what was answered before it. */
const examine = async (ports: Preparation['ports'], { session, call, clean, found }: Examination): Promise<void> => {
  const identity = session.identity?.bind(session);
  const about = session.about?.bind(session);
  const lacks = session.lacks?.bind(session);
  const cleanOrNull = (text: string | null): string | null => (text === null ? null : clean(text));
  if (identity) found.identity = cleanOrNull(await call('report its identity', 1, identity));
  if (about) found.about = cleanOrNull(await call('report its model', 1, about));
  if (lacks) found.lacks = (await call('answer', 1, lacks)).map(clean);
  found.ports = await readings(session, ports, call, clean);
};

/** Why the device cannot be used by this switch: another is registered for it. */
const secondRecord = async (op: ReadOp, { switch: label, identity }: SwitchTestView): Promise<string | null> => {
  if (identity === null) return null;
  const own = await op.tx.selectFrom('switches').select('id').where('label', '=', label).executeTakeFirst();
  const other = await switchWith(op, identity, own?.id ?? 0);
  return other ? `it is the same device as switch ${other.label}; delete one of the two records` : null;
};

/** How many ports a device may have of which nobody knows how many it has. */
const mostPorts = 100;

/** What the registered ports carry; where there are none, what all ports of the device carry. */
const readings = async (
  session: SwitchSession,
  registered: Preparation['ports'],
  call: Call,
  clean: (text: string) => string,
): Promise<readonly TestedPort[]> => {
  const readingFrom = (state: PortState): PortReading => {
    const reading = readingOf(state);
    return reading.unclear === undefined ? reading : { ...reading, unclear: clean(reading.unclear) };
  };
  const readAll = session.readAll?.bind(session);
  if (registered.length === 0 && readAll) {
    const states = await call('show its ports', mostPorts, readAll);
    return states.map((state) => ({
      ...{ port: state.port, registered: false, node: null, nic: null },
      carries: readingFrom(state),
    }));
  }
  const names = registered.map(({ port }) => port);
  const states = await call('show its ports', names.length, (signal) => session.read(names, signal));
  const byPort = new Map(states.map((state) => [state.port, state]));
  return registered.map((one) => {
    const state = byPort.get(one.port);
    return { ...one, registered: true, carries: state === undefined ? null : readingFrom(state) };
  });
};

const dryRun = async (
  driver: SwitchDriver,
  session: SwitchSession,
  wanted: PortConfig,
  call: Call,
): Promise<Pick<DryRun, 'refused'>> => {
  if (!driver.openDry) throw illegalState('the driver of this type of switch cannot show what it would send');
  const save = session.save?.bind(session);
  const [outcome] = await call('show what would be sent', 1, (signal) => session.apply([wanted], signal));
  const refused = outcome?.applied === false ? outcome.reason : null;
  if (save && refused === null) await call('show what would be sent', 1, save);
  return { refused };
};
