import { corral } from '../api/client.ts';
import { type DeviceField, type DeviceValues, valuesToKeep, valuesToSend, wordsOf } from '../ui/device-schema.ts';
import type { PortPlace } from '../ui/free-port.tsx';
import { isSameMac, macMistake } from '../ui/mac-address.ts';
import { nameLack, nameMistake } from '../ui/name-rule.ts';
import { commandOf } from '../ui/shell-word.ts';

/** A nic as it is typed. */
export interface NicDraft {
  readonly id: number;
  readonly label: string;
  readonly macaddr: string;
  readonly place: PortPlace;
}

/** A BMC as it is typed; an empty type: none. */
export interface BmcDraft {
  readonly type: string;
  readonly values: DeviceValues;
  readonly fields: readonly DeviceField[];
}

/** A node as it is typed. */
export interface NodeDraft {
  readonly name: string;
  /** null: the OBM daemon inside the service. */
  readonly obmd: { readonly uri: string; readonly admin_token: string } | null;
  readonly nics: readonly NicDraft[];
  readonly bmc: BmcDraft;
}

/** The same without what nobody else may read. */
export const withoutSecrets = (draft: NodeDraft): NodeDraft => ({
  ...draft,
  obmd: draft.obmd && { ...draft.obmd, admin_token: '' },
  bmc: { ...draft.bmc, values: valuesToKeep(draft.bmc.fields, draft.bmc.values) },
});

/** One call of those that make a node. */
export interface PlanStep {
  /** The part of the form that it is made from; what is made is not made again. */
  readonly at: string;
  readonly what: string;
  readonly command: string;
  readonly run: () => Promise<unknown>;
}

const isTyped = ({ label, macaddr, place }: NicDraft): boolean => label !== '' || macaddr !== '' || place.switch !== '';

/** The calls that make a node, in their order. */
export const planOf = ({ name, obmd, nics, bmc }: NodeDraft): readonly PlanStep[] => [
  {
    at: 'node',
    what: `node ${name}`,
    command:
      commandOf('node', 'register', name || 'NAME', ...(obmd === null ? [] : [obmd.uri || 'OBMD_URI'])) +
      (obmd === null ? '' : ' --admin-token-file FILE'),
    run: () => corral.nodeRegister({ node: name, ...(obmd === null ? {} : { obmd }) }),
  },
  ...nics.filter(isTyped).flatMap(({ id, label, macaddr, place }): PlanStep[] => [
    {
      at: `nic ${id}`,
      what: `nic ${label}`,
      command: commandOf('node', 'nic', 'register', name || 'NAME', label || 'NIC', macaddr || 'MAC'),
      run: () => corral.nodeRegisterNic({ node: name, nic: label, macaddr }),
    },
    ...(place.port === ''
      ? []
      : [
          {
            at: `port ${id}`,
            what: `${label} on ${place.switch} ${place.port}`,
            command: commandOf('port', 'nic', 'add', place.switch, place.port, name || 'NAME', label || 'NIC'),
            run: () => corral.portConnectNic({ ...place, node: name, nic: label }),
          },
        ]),
  ]),
  ...(bmc.type === ''
    ? []
    : [
        {
          at: 'bmc',
          what: `BMC (${bmc.type})`,
          command:
            `${commandOf('bmc', 'register', name || 'NAME', bmc.type)} ${wordsOf(bmc.fields, bmc.values)}`.trim(),
          run: () => corral.bmcRegister({ node: name, type: bmc.type, info: valuesToSend(bmc.fields, bmc.values) }),
        },
      ]),
];

/** Which nic before it in the form has the same MAC address. */
export const twinOf = (nic: NicDraft, nics: readonly NicDraft[]): string | null => {
  const twin = nics.slice(0, nics.indexOf(nic)).find(({ macaddr }) => isSameMac(macaddr, nic.macaddr));
  return twin === undefined ? null : `Nic ${twin.label} of this form has this address already`;
};

/** Why the plan cannot be begun yet. */
export const lackOf = ({ name, nics }: NodeDraft): string | null => {
  const lack = nameLack('node', name);
  if (lack !== null) return lack;
  const typed = nics.filter(isTyped);
  if (typed.some(({ label }) => label === '')) return 'Give every nic a name';
  if (typed.some(({ macaddr }) => macaddr === '')) return 'Give every nic its MAC address';
  const wrong = typed
    .map(({ label, macaddr }) => nameMistake('nic', label) ?? macMistake(macaddr))
    .find((mistake) => mistake !== null);
  if (wrong !== undefined) return wrong;
  return typed.some(({ place }) => place.switch !== '' && place.port === '')
    ? 'Choose the port of every nic that is plugged in'
    : null;
};
