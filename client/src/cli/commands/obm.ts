import { act } from '../act.ts';
import type { Argument, Command } from '../command.ts';

const node: Argument = { name: 'node', kind: 'node' };

/** Out-of-band management: power, boot device, console. */
export const obmCommands: readonly Command[] = [
  ...(['enable', 'disable'] as const).map((verb) =>
    act({
      words: `node obm ${verb}`,
      about: `${verb} power, boot device and console of a node`,
      args: [node],
      example: `node obm ${verb} node-12`,
      call: (corral, given) => corral.nodeSetObm({ node: given.arg('node'), enabled: verb === 'enable' }),
      sentence: (given) => `out-of-band management of node ${given.arg('node')} is ${verb}d`,
    }),
  ),
  act({
    words: 'node power on',
    about: 'power a node on',
    args: [node],
    example: 'node power on node-12',
    call: (corral, given) => corral.nodePowerOn({ node: given.arg('node') }),
    sentence: (given) => `node ${given.arg('node')} is on`,
  }),
  act({
    words: 'node power off',
    about: 'power a node off',
    args: [node],
    example: 'node power off node-12',
    call: (corral, given) => corral.nodePowerOff({ node: given.arg('node') }),
    sentence: (given) => `node ${given.arg('node')} is off`,
  }),
  act({
    words: 'node power cycle',
    about: 'power cycle a node and boot it from the network',
    args: [node],
    options: { force: { about: 'without shutting down its operating system first' } },
    example: 'node power cycle node-12 --force',
    call: (corral, given) => corral.nodePowerCycle({ node: given.arg('node'), force: given.flag('force') }),
    sentence: (given) => `node ${given.arg('node')} is restarting`,
  }),
  {
    words: ['node', 'power', 'status'],
    about: 'show whether a node is on',
    args: [node],
    example: 'node power status node-12',
    run: async ({ corral, output }, given) => {
      const status = await (await corral()).nodePowerStatus({ node: given.arg('node') });
      output.facts([['power', status.power_status]], status);
    },
  },
  act({
    words: 'node bootdev',
    about: 'set what a node boots from',
    args: [node, { name: 'device', kind: 'text', oneOf: ['disk', 'pxe', 'none'] }],
    example: 'node bootdev node-12 pxe',
    call: (corral, given) => corral.nodeSetBootdev({ node: given.arg('node'), bootdev: given.arg('device') }),
    sentence: (given) => `node ${given.arg('node')} boots from ${given.arg('device')} next`,
  }),
  {
    words: ['node', 'console', 'show'],
    about: "show what a node's serial console prints, until Ctrl-C",
    args: [node],
    example: 'node console show node-12',
    run: async ({ corral, output, signal }, given) => {
      const bytes = await (await corral()).showConsole({ node: given.arg('node') }, { signal });
      for await (const chunk of bytes) await output.raw(chunk);
    },
  },
];
