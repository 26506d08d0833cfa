import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

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

/**
 * Sees to it that the VLAN has its bridge, with the VLAN of the uplink in it. Each step is one that may have been done
 * before. This host takes no part: it has no address there, not even one that it gave itself.
 */
export const makeBridge = async (run: Ip, uplink: string, vlan: number): Promise<void> => {
  const bridge = bridgeOf(vlan);
  const part = uplinkPartOf(vlan);
  const set = (device: string, ...what: readonly string[]) => run(['link', 'set', 'dev', device, ...what]);
  try {
    // Without the delay a card waits 15 s for its first frame.
    await unlessThere(run, bridge, ['link', 'add', 'name', bridge, 'type', 'bridge', 'forward_delay', '0']);
    await unlessThere(run, part, ['link', 'add', 'link', uplink, 'name', part, 'type', 'vlan', 'id', String(vlan)]);
    for (const device of [bridge, part]) await set(device, 'addrgenmode', 'none');
    await set(part, 'master', bridge);
    for (const device of [part, bridge]) await set(device, 'up');
  } catch (cause) {
    throw new Error('the bridge for one of the networks could not be made on the hypervisor; ask an administrator', {
      cause,
    });
  }
};

const unlessThere = async (run: Ip, device: string, add: readonly string[]): Promise<void> => {
  const isThere = () =>
    run(['link', 'show', 'dev', device]).then(
      () => true,
      () => false,
    );
  if (await isThere()) return;
  try {
    await run(add);
  } catch (error) {
    // Two machines on one network may start at once.
    if (!(await isThere())) throw error;
  }
};
