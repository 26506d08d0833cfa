import { escapeXml } from '@corral/base/xml';
import type { MachineNic } from '../hypervisor-contract.ts';
import { bridgeOf } from './linux-bridges.ts';
import type { MachineNetwork } from './libvirt-options.ts';
import type { Copy } from './storage-pool.ts';

/** What an image says of the card in whose place another is put, as it is written there. */
export interface CardLikeness {
  readonly model: string;
  readonly boot: string;
}

const usual: CardLikeness = { model: `<model type='virtio'/>`, boot: '' };

/** The cards in the order of their labels: the machine numbers them as they come. */
export const cardsXml = (
  hnics: readonly MachineNic[],
  network: MachineNetwork,
  likenesses: readonly CardLikeness[] = [],
): string =>
  [...hnics]
    .sort((a, b) => (a.label < b.label ? -1 : 1))
    .map((hnic, index) =>
      cardXml(hnic, network, likenesses[index] ?? { ...usual, model: likenesses.at(-1)?.model ?? usual.model }),
    )
    .join('\n    ');

const cardXml = ({ macaddr, vlan }: MachineNic, network: MachineNetwork, { model, boot }: CardLikeness): string => {
  const rest = `<mac address='${escapeXml(macaddr)}'/>${model}${boot}`;
  // Nobody has the other end of it; that its cable is out, the machine cannot change.
  if (vlan === null) return `<interface type='ethernet'>${rest}<link state='down'/></interface>`;
  if (!Number.isInteger(vlan)) throw new Error('the VLAN of a network is not a number');
  if (network.kind === 'bridges') {
    return `<interface type='bridge'>${rest}<source bridge='${bridgeOf(vlan)}'/></interface>`;
  }
  return (
    `<interface type='bridge'>${rest}<source bridge='${escapeXml(network.bridge)}'/>` +
    `<vlan><tag id='${vlan}'/></vlan><virtualport type='openvswitch'/></interface>`
  );
};

/** The screen: libvirt finds a port that is free. */
export const screenXml = (host: string): string =>
  `<graphics type='vnc' port='-1' autoport='yes'><listen type='address' address='${escapeXml(host)}'/></graphics>`;

export const diskSourceXml = ({ path, kind }: Copy): string =>
  kind === 'file' ? `<source file='${escapeXml(path)}'/>` : `<source dev='${escapeXml(path)}'/>`;
