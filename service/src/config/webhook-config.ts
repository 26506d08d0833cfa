import type { SettingReader } from '@corral/base/config/setting-reader';
import type { Settings, ValuesOf } from '@corral/base/config/setting';
import { listOf, seconds } from '@corral/base/config/value-types';
import { AllowList, entryRule } from '@corral/base/http/allow-list';
import { Outbound } from '@corral/base/http/outbound';
import { pemFile } from './certificate-authority.ts';

/** Unlike other lists of places, an empty one is none. */
const placesOrNone = listOf(entryRule, (entries, wrong) =>
  entries.length === 0
    ? null
    : AllowList.from(entries, (entry) => wrong({ expected: `${entryRule}; ${JSON.stringify(entry)} is none of them` })),
);

const projectTargets = 'webhooks.project_targets';

/** Where webhooks may go, and how patiently they are delivered. */
export const webhookSettings = {
  [projectTargets]: {
    takes: placesOrNone,
    fallback: '',
    about:
      'Where [subscriptions](webhooks.md) of projects may deliver to: [addresses, networks and host names](#where-connections-may-go). None: nowhere, so only administrators can have subscriptions. Those of the site are under `outbound.allow`.',
  },
  'webhooks.timeout': { takes: seconds(), fallback: '10', about: 'How long a receiver has to answer a webhook.' },
  'webhooks.give_up': {
    takes: seconds(604_800),
    fallback: '86400',
    about:
      'Age in seconds at which an event that could not be delivered becomes a [dead letter](webhooks.md#when-it-goes-wrong), up to a week.',
  },
  'webhooks.ca': {
    takes: pemFile,
    about: "PEM file of the authority that receivers' certificates are from. None: those that Node.js trusts.",
  },
} as const satisfies Settings;

export interface WebhookConfig {
  /** Where subscriptions of projects may deliver to; null: nowhere. */
  readonly projectTargets: Outbound | null;
  readonly timeoutMs: number;
  readonly giveUpMs: number;
  /** PEM of an authority; null: those that Node.js trusts. */
  readonly ca: string | null;
}

export const webhookConfig = (read: SettingReader<ValuesOf<typeof webhookSettings>>): WebhookConfig => {
  const allow = read.value(projectTargets);
  return {
    projectTargets: allow === null ? null : new Outbound({ allow, setting: projectTargets }),
    timeoutMs: read.value('webhooks.timeout'),
    giveUpMs: read.value('webhooks.give_up'),
    ca: read.value('webhooks.ca'),
  };
};
