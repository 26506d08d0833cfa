import type { Machine, TokenGrant } from './managed-machine.ts';
import { pause, RecordedWork, type WorkRecord } from './recorded-work.ts';

const firstPauseMs = 1_000;
const longestPauseMs = 300_000;

/**
 * Machines whose BMC has forgotten a lasting boot device over one for the next boot: when that boot has been, the
 * lasting one is set again.
 */
export class BootRestorer extends RecordedWork<string> {
  constructor(record: WorkRecord<string>) {
    super(record, restore);
  }

  async begin(machine: Machine, grant: TokenGrant, device: string): Promise<void> {
    await this.record.set(machine, grant, device);
    this.resume(machine, grant, device);
  }
}

const restore = async (machine: Machine, grant: TokenGrant, device: string, stop: AbortSignal): Promise<void> => {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
    await pause(pauseMs, stop);
    if (stop.aborted) return;
    // What goes wrong is reported where it happens, and tried again.
    if (await isRestored(machine, grant, device, stop).catch(() => false)) return;
  }
};

/** In one call, so that nobody's wish for the next boot comes between the look and the change. */
const isRestored = (machine: Machine, grant: TokenGrant, device: string, stop: AbortSignal): Promise<boolean> =>
  machine.call('boot_device', grant, async (bmc, signal) => {
    if (stop.aborted) return true;
    if ((await bmc.isNextBootSet?.(signal)) === true) return false;
    await bmc.setBootDevice(device, signal);
    return true;
  });
