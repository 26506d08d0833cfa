import type { SettingReader } from '@corral/base/config/setting-reader';
import type { Settings, ValuesOf } from '@corral/base/config/setting';
import { flag, listOf, seconds, text, type ValueType, whole } from '@corral/base/config/value-types';
import type { Outbound } from '@corral/base/http/outbound';
import { namesOf, ownSteps, type SiteStep } from '../schema/cleaning-steps.ts';

const dayS = 86_400;
const form = 'NAME webhook URL, NAME boot URL, or NAME command /PATH/TO/PROGRAM ARGUMENTS';

const siteSteps = listOf(`a list of steps: ${form}`, (entries, wrong) => {
  const steps = entries.flatMap((entry) => {
    const step = stepIn(entry);
    if (step === null) wrong({ entry });
    return step ?? [];
  });
  const names = steps.flatMap(namesOf);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) wrong({ entry: twice, expected: 'a different name for each step' });
  const own = names.find((name) => ownSteps.some((taken) => taken === name));
  if (own !== undefined) wrong({ entry: own, expected: `a name other than ${ownSteps.join(', ')}` });
  return steps;
});

const stepIn = (entry: string): SiteStep | null => {
  const [name = '', kind = '', target = '', ...args] = entry.split(/\s+/);
  if (!/^[a-z\d][a-z\d-]{0,62}$/.test(name)) return null;
  if (kind === 'command') return target.startsWith('/') ? { kind, name, program: target, args } : null;
  if (
    (kind !== 'webhook' && kind !== 'boot') ||
    !/^https?:\/\//.test(target) ||
    !URL.canParse(target) ||
    args.length > 0
  )
    return null;
  return { kind, name, url: target };
};

const isWebhookSecret = (given: string): boolean => {
  const [, key = ''] = /^whsec_([A-Za-z\d+/]+=*)$/.exec(given) ?? [];
  const bytes = Buffer.from(key, 'base64');
  return bytes.toString('base64') === key && bytes.length >= 24 && bytes.length <= 64;
};

/** One secret, or two while receivers change over. */
const webhookSecrets: ValueType<readonly string[]> = {
  expected: 'whsec_ and the base64 of 24 to 64 bytes, or two of these with a space between them',
  parse: (given, wrong) => {
    const secrets = given.split(/\s+/).filter((one) => one !== '');
    if (secrets.length > 2 || !secrets.every(isWebhookSecret)) wrong();
    return secrets;
  },
  isSecret: true,
};

/** What a node goes through between two projects. */
export const cleaningSettings = {
  'cleaning.enabled': {
    takes: flag,
    fallback: 'false',
    about:
      '`true`: a node that leaves a project is [cleaned](operator-guide.md#a-machines-way-from-tenant-to-tenant) before anybody else gets it. `false`: it is free at once, or goes to the maintenance pool.',
  },
  'cleaning.steps': {
    takes: siteSteps,
    fallback: '',
    about: `What your site does to such a node, in order: a list, in the environment separated by commas, of ${form}. Webhooks and boots need \`public_url\`.`,
  },
  'cleaning.boot_network': {
    takes: text,
    about:
      'The network that nodes [boot from](operator-guide.md#wipe-disks-by-a-network-boot) to be cleaned: one of the operator (`admin`) that is not public. Projects with access to it meet the nodes there.',
  },
  'cleaning.boot_nics': {
    takes: listOf('a list of nics', (entries) => entries),
    fallback: '',
    about:
      'The nics that are connected to it: a list, in the environment separated by commas. None: every nic that is connected to a switch port.',
  },
  'cleaning.boot_device': {
    takes: text,
    fallback: 'pxe',
    about: 'The boot device by which a node boots from it.',
  },
  'cleaning.check_wiring': {
    takes: flag,
    fallback: 'false',
    about:
      '`true`: after a boot, while the node is on, the switches have to see each of these nics at the port that it is [recorded](operator-guide.md#check-the-wiring) on. Needs drivers that can tell.',
  },
  'cleaning.webhook_secret': {
    takes: webhookSecrets,
    about:
      'Signs the requests to these webhooks ([Standard Webhooks](webhooks.md#receive)): `whsec_` and the base64 of 24 to 64 random bytes. Two, separated by a space, both sign, so that receivers can change over. None: they are not signed.',
  },
  'cleaning.step_deadline': {
    takes: seconds(7 * dayS),
    fallback: '3600',
    about: 'How long each of these steps has, up to a week.',
  },
  'cleaning.deadline': {
    takes: seconds(dayS),
    fallback: '900',
    about: 'How long each step of Corral itself (power, ports, boot device, BMC) is tried, up to a day.',
  },
  'cleaning.bootdev': {
    takes: text,
    fallback: 'none',
    about: 'Boot device that a node has afterwards; `none` is what its firmware is set to.',
  },
  'cleaning.at_once': {
    takes: whole(1, 1_000),
    fallback: '20',
    about: 'Nodes that one process works on at once. Those that wait for a webhook do not count.',
  },
} as const satisfies Settings;

export interface CleaningConfig {
  readonly enabled: boolean;
  readonly steps: readonly SiteStep[];
  readonly stepDeadlineMs: number;
  readonly deadlineMs: number;
  /** Is it checked after a boot where the node is plugged in? */
  readonly checkWiring: boolean;
  readonly bootdev: string;
  readonly atOnce: number;
  /** What nodes boot from; `network` is empty if no step boots any. */
  readonly boot: { readonly network: string; readonly nics: readonly string[]; readonly device: string };
  /** Where results of webhooks are reported to; null: there are no webhooks. */
  readonly publicUrl: string | null;
  /** What signs requests to webhooks; none: they are not signed. */
  readonly webhookSecrets: readonly string[];
}

export const cleaningConfig = (
  read: SettingReader<ValuesOf<typeof cleaningSettings>>,
  { outbound, publicUrl }: { readonly outbound: Outbound; readonly publicUrl: string | null },
  mistakes: string[],
): CleaningConfig => {
  const steps = read.value('cleaning.steps');
  const network = read.value('cleaning.boot_network') ?? '';
  const checkWiring = read.value('cleaning.check_wiring');
  if (checkWiring && !steps.some(({ kind }) => kind === 'boot')) {
    mistakes.push('cleaning.check_wiring: the wiring is checked after a boot, and no step of cleaning.steps is one');
  }
  for (const step of steps) {
    if (step.kind === 'command') continue;
    const refusal = outbound.refusalOf(new URL(step.url).hostname);
    if (refusal !== null) mistakes.push(`cleaning.steps: ${step.name}: ${refusal.message}`);
    if (publicUrl === null) {
      mistakes.push(`cleaning.steps: ${step.name}: a ${step.kind} reports its result to public_url, which is not set`);
    }
    if (step.kind === 'boot' && network === '') {
      mistakes.push(`cleaning.steps: ${step.name}: a boot needs cleaning.boot_network, which is not set`);
    }
  }
  return {
    enabled: read.value('cleaning.enabled'),
    steps,
    stepDeadlineMs: read.value('cleaning.step_deadline'),
    deadlineMs: read.value('cleaning.deadline'),
    checkWiring,
    bootdev: read.value('cleaning.bootdev'),
    atOnce: read.value('cleaning.at_once'),
    boot: { network, nics: read.value('cleaning.boot_nics'), device: read.value('cleaning.boot_device') },
    publicUrl,
    webhookSecrets: read.value('cleaning.webhook_secret') ?? [],
  };
};
