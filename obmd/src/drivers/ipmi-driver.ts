import type { Outbound } from '@corral/base/http/outbound';
import { type Bmc, BmcError, type BmcDriver, type BmcPermit } from './bmc-contract.ts';
import { type BootFlags, bootFlagsFrom } from './ipmi/boot-flags.ts';
import { identityIn } from './ipmi/ipmi-identity.ts';
import { openSol } from './ipmi/serial-over-lan.ts';
import { type IpmiTarget, ipmiInfo, ipmiTargetFrom } from './ipmi/ipmi-target.ts';
import { runTool } from './ipmi/ipmitool.ts';
import { addressesAt } from './resolve-bmc-addresses.ts';
import { permittedAddress } from './permitted-address.ts';

/** A BMC that speaks IPMI 2.0 over LAN, by ipmitool. */
export const ipmiBmc: BmcDriver = {
  info: ipmiInfo,
  secrets: ['pass'],
  hostOf: (info) => ipmiTargetFrom(info).addr,
  placesOf: (info) => {
    const { addr, port } = ipmiTargetFrom(info);
    return addressesAt({ host: addr, port, usualPort: 623 });
  },
  bmcOf: (info, outbound, permit) => bmcAt(ipmiTargetFrom(info), outbound, permit),
};

/** The BMC at a target. Nothing is kept between calls. */
export const bmcAt = (registered: IpmiTarget, outbound: Outbound, permit?: BmcPermit): Bmc => {
  /** ipmitool is given the address that was judged, not the name, which may be elsewhere by then. */
  const targetNow = async (signal: AbortSignal): Promise<IpmiTarget> => {
    const addr = await permittedAddress(outbound, registered.addr, signal);
    permit?.check();
    return { ...registered, addr };
  };
  const run = async (command: string, signal: AbortSignal): Promise<string> =>
    runTool(await targetNow(signal), command.split(' '), signal);

  const powerStatus = async (signal: AbortSignal): Promise<'on' | 'off'> => {
    const said = await run('chassis power status', signal);
    const power = /^Chassis Power is (on|off)$/m.exec(said)?.[1];
    if (power === 'on' || power === 'off') return power;
    throw new BmcError('failed', 'the BMC does not report whether the node is on or off; try again in a minute', {
      cause: new Error(`ipmitool chassis power status: ${said.slice(0, 1_000)}`),
    });
  };

  /** Some BMCs refuse to do what is done already. */
  const bring = async (power: 'on' | 'off', command: string, signal: AbortSignal): Promise<void> => {
    try {
      await run(command, signal);
    } catch (error) {
      if (!isRefusal(error) || (await powerStatus(signal)) !== power) throw error;
    }
  };

  const boot = async (device: string, options: readonly string[], signal: AbortSignal): Promise<void> => {
    // Boot option 3: unless told not to, a BMC forgets a boot device when no power command follows within 60 s.
    await run('raw 0x00 0x08 0x03 0x08', signal).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
    });
    // Without efiboot the request is for a legacy boot, which firmware in UEFI mode ignores or, worse, obeys.
    const all = [...(registered.bootMode === 'uefi' ? ['efiboot'] : []), ...options];
    const command = ['chassis', 'bootdev', device, ...(all.length > 0 ? [`options=${all.join(',')}`] : [])];
    await runTool(await targetNow(signal), command, signal, `Set Boot Device to ${device}`);
  };

  /** Boot option 5. A BMC that does not show it is one on which nothing is set. */
  const bootFlags = async (signal: AbortSignal): Promise<BootFlags> => {
    try {
      return bootFlagsFrom(await run('raw 0x00 0x09 0x05 0x00 0x00', signal));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return bootFlagsFrom('');
    }
  };

  return {
    identify: async (signal) => ({
      answered: identityIn(await run('mc info', signal)),
      // ipmitool has the BMC confirm this level before it sends the command.
      privileges: registered.privilege,
    }),
    powerStatus,
    powerOn: (signal) => bring('on', 'chassis power on', signal),
    powerOff: (signal) => bring('off', 'chassis power off', signal),
    askToShutDown: (signal) => bring('off', 'chassis power soft', signal),
    powerCycle: async (signal) => {
      // Some BMCs refuse to cycle a machine that is off, some say yes and leave it off.
      const isOn = (await powerStatus(signal)) === 'on';
      await (isOn ? run('chassis power cycle', signal) : bring('on', 'chassis power on', signal));
    },
    bootDevices: ['pxe', 'disk', 'none'],
    setBootDevice: (device, signal) => boot(device, ['persistent'], signal),
    setNextBoot: async (device, signal) => {
      const before = await bootFlags(signal);
      const lasting = before.isValid && before.isLasting ? before.device : null;
      // It is what it boots from anyway.
      if (lasting === device) return { isOnce: true, forgotten: null };
      await boot(device, [], signal);
      return { isOnce: true, forgotten: lasting };
    },
    isNextBootSet: async (signal) => {
      const { isValid, isLasting } = await bootFlags(signal);
      return isValid && !isLasting;
    },
    openConsole: async (signal) => openSol(await targetNow(signal), signal),
  };
};

/** Did the BMC answer, and say no? */
const isRefusal = (error: unknown): boolean =>
  error instanceof BmcError && (error.fault === 'failed' || error.fault === 'unsupported');
