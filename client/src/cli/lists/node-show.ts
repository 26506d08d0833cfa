import type { Command } from '../cli-command.ts';
import { textOf } from './match-metadata.ts';

/** `corral node show`: one node, and what keeps it where it is. */
export const nodeShow: Command = {
  words: ['node', 'show'],
  about: 'show a node: its project, OBM, nics, networks, metadata, and what blocks it',
  args: [{ name: 'node', kind: 'node' }],
  example: 'node show node-12',
  run: async ({ corral, output }, parsed) => {
    const shown = await (await corral()).nodeOverview({ node: parsed.arg('node') });
    const metadata = Object.entries(shown.metadata).map(([label, value]) => `${label}: ${textOf(value)}`);
    const isFree = shown.project === null;
    const blocks = (shown.blocked ?? []).map(({ message }) => message);
    output.facts(
      [
        ['name', shown.name],
        ['project', shown.project ?? 'none: it is free'],
        ...(shown.obm_enabled === null ? [] : [['OBM', shown.obm_enabled ? 'enabled' : 'disabled'] as const]),
        ...(shown.blocked === null
          ? []
          : [
              [isFree ? 'reservable' : 'releasable', blocks.length === 0 ? 'yes' : `no: ${blocks.join('\n')}`] as const,
            ]),
        ...(metadata.length === 0 ? [] : [['metadata', metadata.join('\n')] as const]),
      ],
      shown,
    );
    if (output.isJson) return;
    output.say('');
    const rows = shown.nics.map(({ label, macaddr, networks, switch: on, port }) => [
      label,
      macaddr,
      Object.entries(networks)
        .map(([channel, name]) => `${name} (${channel})`)
        .join(', '),
      on && port ? `${on} ${port}` : '',
    ]);
    const hasPorts = rows.some(([, , , port]) => port !== '');
    output.table(
      ['nic', 'mac address', 'networks', ...(hasPorts ? ['port'] : [])],
      rows.map((row) => (hasPorts ? row : row.slice(0, 3))),
      null,
      'no nics',
    );
  },
};
