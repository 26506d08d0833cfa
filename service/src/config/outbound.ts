import { outboundFrom } from '@corral/base/config/outbound';
import type { SettingReader } from '@corral/base/config/reader';
import type { Setting } from '@corral/base/config/setting';
import type { Outbound } from '@corral/base/http/outbound';

export const outboundSettings = [
  {
    key: 'outbound.allow',
    env: 'CORRAL_OUTBOUND_ALLOW',
    takes: 'list',
    fallback: '',
    about:
      'where OBM daemons, switches and the maintenance service may be: addresses, networks, host names; default: anywhere but link-local and the like',
  },
] as const satisfies readonly Setting[];

type OutboundSettingKey = (typeof outboundSettings)[number]['key'];

/** Where the service may connect to when an address was given to it over its interface, or for maintenance. */
export const outboundConfig = (read: SettingReader<OutboundSettingKey>): Outbound =>
  outboundFrom(read, 'outbound.allow');
