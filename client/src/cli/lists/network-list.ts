import type { Command } from '../cli-command.ts';
import { counted } from '../counted.ts';
import { naturalOrder } from '../../natural-order.ts';

/** `corral network list`: every network that the caller can use, and for administrators all. */
export const networkList: Command = {
  words: ['network', 'list'],
  about:
    'list the networks that you can use: your own, those you have access to, and public ones; administrators see all',
  example: 'network list',
  run: async ({ corral, output }) => {
    const { event, networks } = await (await corral()).networksOverview();
    const sorted = networks.toSorted((one, other) => naturalOrder(one.name, other.name));
    const rows = sorted.map(({ name, network_id, owner, access, use, nodes }) => [
      name,
      network_id,
      use ?? '',
      owner,
      access === null ? 'everybody' : access.join(', ') || 'nobody',
      counted(nodes),
    ]);
    output.table(
      ['network', 'id', 'use', 'owner', 'access', 'nodes'],
      rows,
      { event, networks: sorted },
      'no networks',
    );
  },
};
