import { allowList } from '@corral/base/config/outbound-setting';
import type { SettingReader } from '@corral/base/config/setting-reader';
import type { Settings, ValuesOf } from '@corral/base/config/setting';
import { Outbound } from '@corral/base/http/outbound';

export const outboundSettings = {
  'outbound.allow': {
    takes: allowList,
    fallback: '',
    about:
      'Where OBM daemons, switches, the maintenance service, receivers of [webhooks](webhooks.md) and the relay of [mail](mail.md) may be: [addresses, networks and host names](#where-connections-may-go). None: anywhere but link-local addresses and the like.',
  },
} as const satisfies Settings;

/** Where the service may connect to when an address was given to it over its interface, or for maintenance. */
export const outboundConfig = (read: SettingReader<ValuesOf<typeof outboundSettings>>): Outbound =>
  new Outbound({ allow: read.value('outbound.allow'), setting: 'outbound.allow' });
