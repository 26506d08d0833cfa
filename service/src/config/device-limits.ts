import type { SettingReader } from '@corral/base/config/reader';
import type { Setting } from '@corral/base/config/setting';

/** How much one project may have devices do. */
export const deviceLimitSettings = [
  {
    key: 'limits.device_changes',
    env: 'CORRAL_LIMITS_DEVICE_CHANGES',
    takes: 'count',
    fallback: '600',
    about:
      'changes a minute that one project may ask of switches, OBM daemons and the hypervisor together; 0: no limit',
  },
  {
    key: 'limits.device_calls',
    env: 'CORRAL_LIMITS_DEVICE_CALLS',
    takes: 'count',
    fallback: '8',
    about: 'calls of one project to one OBM daemon, or to the hypervisor, at once; 0: no limit',
  },
] as const satisfies readonly Setting[];

type DeviceLimitKey = (typeof deviceLimitSettings)[number]['key'];

/** 0: no limit. */
export interface DeviceLimitConfig {
  readonly changes: number;
  readonly calls: number;
}

const most = 1_000_000;

export const deviceLimitConfig = (read: SettingReader<DeviceLimitKey>): DeviceLimitConfig => ({
  changes: read.whole('limits.device_changes', 0, most),
  calls: read.whole('limits.device_calls', 0, most),
});
