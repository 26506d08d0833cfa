import type { SettingReader } from '@corral/base/config/setting-reader';
import type { Settings, ValuesOf } from '@corral/base/config/setting';
import { whole } from '@corral/base/config/value-types';

const most = 1_000_000;

/** How much one project may have devices do. */
export const deviceLimitSettings = {
  'limits.device_changes': {
    takes: whole(0, most),
    fallback: '600',
    about:
      '[Changes a minute](operator-guide.md#limits) that one project may ask of switches, OBM daemons and the hypervisor together, consoles and screens included; a question that reaches a device counts a tenth. More are refused with 429. In each process; administrators are exempt. 0: no limit.',
  },
  'limits.device_calls': {
    takes: whole(0, most),
    fallback: '8',
    about:
      'Calls of one project to one OBM daemon, or to the hypervisor, at once. Sixteen times as many wait, 20 seconds at most; others are refused with 429. Administrators are exempt. 0: no limit.',
  },
} as const satisfies Settings;

/** 0: no limit. */
export interface DeviceLimitConfig {
  readonly changes: number;
  readonly calls: number;
}

export const deviceLimitConfig = (read: SettingReader<ValuesOf<typeof deviceLimitSettings>>): DeviceLimitConfig => ({
  changes: read.value('limits.device_changes'),
  calls: read.value('limits.device_calls'),
});
