import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Link, linksIn } from './network-links.ts';

const timeoutMs = 10_000;

/** The Linux bridge of a VLAN. */
export const bridgeOf = (vlan: number): string => `br-vlan${vlan}`;

/** The uplink's part in it. Not after the uplink: names of interfaces are short. */
const uplinkPartOf = (vlan: number): string => `up-vlan${vlan}`;

/** Runs `ip` to its end and gives what it said. */
export type Ip = (args: readonly string[]) => Promise<string>;

const execute = promisify(execFile);

export const ip: Ip = async (args) => {
  const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const { stdout } = await execute('ip', [...args], { timeout: timeoutMs, killSignal: 'SIGKILL', env: { PATH } });
  return stdout;
};

/** A bridge that carries something else than its name says, or is none. The cause is for the log. */
class WrongBridge extends Error {
  constructor(cause: string) {
    super('the bridge for one of the networks is used for something else on the hypervisor; ask an administrator', {
      cause: new Error(cause),
    });
    this.name = 'WrongBridge';
  }
}

/**
 * Sees to it that the VLAN has its bridge, with the VLAN of the uplink in it. Each step is one that may have been done
 * before; what is there under the right names and is something else is refused. This host takes no part: it has no
 * address there, not even one that it gave itself.
 */
export const makeBridge = async (run: Ip, uplink: string, vlan: number): Promise<void> => {
  const bridge = bridgeOf(vlan);
  const part = uplinkPartOf(vlan);
  const set = (device: string, ...what: readonly string[]) => run(['link', 'set', 'dev', device, ...what]);
  try {
    // Without the delay a card waits 15 s for its first frame.
    await unlessThere(run, bridge, ['link', 'add', 'name', bridge, 'type', 'bridge', 'forward_delay', '0']);
    await unlessThere(run, part, ['link', 'add', 'link', uplink, 'name', part, 'type', 'vlan', 'id', String(vlan)]);
    await requirePart(run, { part, bridge, uplink, vlan });
    await requireBridge(run, vlan, uplink);
    for (const device of [bridge, part]) await set(device, 'addrgenmode', 'none');
    await set(part, 'master', bridge);
    for (const device of [part, bridge]) await set(device, 'up');
  } catch (cause) {
    if (cause instanceof WrongBridge) throw cause;
    throw new Error('the bridge for one of the networks could not be created on the hypervisor; ask an administrator', {
      cause,
    });
  }
};

/** Refuses a bridge that somebody else made for this VLAN, if it is on this host and has another VLAN in it. */
export const checkBridge = async (run: Ip, vlan: number): Promise<void> => {
  if (await isThere(run, bridgeOf(vlan))) await requireBridge(run, vlan, null);
};

const requirePart = async (
  run: Ip,
  { part, bridge, uplink, vlan }: Record<'part' | 'bridge' | 'uplink', string> & { readonly vlan: number },
): Promise<void> => {
  const [link] = linksIn(await run(['-details', '-json', 'link', 'show', 'dev', part]));
  const isRight = link?.vlan === vlan && link.below === uplink;
  if (!isRight) throw new WrongBridge(`${part} is not VLAN ${vlan} of ${uplink}, but ${describeLink(link)}; delete it`);
  if (link.master === null || link.master === bridge) return;
  throw new WrongBridge(`${part} is in ${link.master}, not in ${bridge}; remove it from there`);
};

/** Machines and other ports may be in it, but no other VLAN, and not all VLANs of the uplink. */
const requireBridge = async (run: Ip, vlan: number, uplink: string | null): Promise<void> => {
  const bridge = bridgeOf(vlan);
  const [link] = linksIn(await run(['-details', '-json', 'link', 'show', 'dev', bridge]));
  if (link?.kind !== 'bridge') throw new WrongBridge(`${bridge} is not a bridge but ${describeLink(link)}`);
  const ports = linksIn(await run(['-details', '-json', 'link', 'show', 'master', bridge]));
  const other = ports.find((port) => (port.vlan !== null && port.vlan !== vlan) || port.name === uplink);
  if (other === undefined) return;
  throw new WrongBridge(`${bridge} has ${other.name} in it, which is ${describeLink(other)}; remove it from there`);
};

const describeLink = (link: Link | undefined): string => {
  if (link === undefined) return 'nothing that `ip` shows';
  if (link.vlan !== null) return `VLAN ${link.vlan} of ${link.below ?? 'another interface'}`;
  return link.kind === null ? 'an interface of the host' : `of the kind ${link.kind}`;
};

const isThere = (run: Ip, device: string): Promise<boolean> =>
  run(['link', 'show', 'dev', device]).then(
    () => true,
    () => false,
  );

const unlessThere = async (run: Ip, device: string, add: readonly string[]): Promise<void> => {
  if (await isThere(run, device)) return;
  try {
    await run(add);
  } catch (error) {
    // Two machines on one network may start at once.
    if (!(await isThere(run, device))) throw error;
  }
};
