import { simpleCommand } from '../simple-command.ts';
import type { Argument, Command } from '../cli-command.ts';

const node: Argument = { name: 'node', kind: 'node' };

/** Out-of-band management: power, boot device, console. */
export const obmCommands: readonly Command[] = [
  ...(['enable', 'disable'] as const).map((verb) =>
    simpleCommand({
      words: `node obm ${verb}`,
      about: `${verb} power, boot device and console of a node`,
      args: [node],
      example: `node obm ${verb} node-12`,
      call: (corral, parsed) => corral.nodeSetObm({ node: parsed.arg('node'), enabled: verb === 'enable' }),
      sentence: (parsed) => `out-of-band management of node ${parsed.arg('node')} is ${verb}d`,
    }),
  ),
  simpleCommand({
    words: 'node power on',
    about: 'power a node on',
    args: [node],
    example: 'node power on node-12',
    call: (corral, parsed) => corral.nodePowerOn({ node: parsed.arg('node') }),
    sentence: (parsed) => `node ${parsed.arg('node')} is on`,
  }),
  simpleCommand({
    words: 'node power off',
    about: 'power a node off',
    args: [node],
    example: 'node power off node-12',
    call: (corral, parsed) => corral.nodePowerOff({ node: parsed.arg('node') }),
    sentence: (parsed) => `node ${parsed.arg('node')} is off`,
  }),
  simpleCommand({
    words: 'node power cycle',
    about: 'power cycle a node and boot it from the network',
    args: [node],
    options: { force: { about: 'without shutting down its operating system first' } },
    example: 'node power cycle node-12 --force',
    call: (corral, parsed) => corral.nodePowerCycle({ node: parsed.arg('node'), force: parsed.flag('force') }),
    sentence: (parsed) => `node ${parsed.arg('node')} is restarting`,
  }),
  {
    words: ['node', 'power', 'status'],
    about: 'show whether a node is on',
    args: [node],
    example: 'node power status node-12',
    run: async ({ corral, output }, parsed) => {
      const status = await (await corral()).nodePowerStatus({ node: parsed.arg('node') });
      output.facts([['power', status.power_status]], status);
    },
  },
  simpleCommand({
    words: 'node bootdev',
    about: 'set what a node boots from',
    args: [node, { name: 'device', kind: 'text', oneOf: ['disk', 'pxe', 'none'] }],
    example: 'node bootdev node-12 pxe',
    call: (corral, parsed) => corral.nodeSetBootdev({ node: parsed.arg('node'), bootdev: parsed.arg('device') }),
    sentence: (parsed) => `node ${parsed.arg('node')} boots from ${parsed.arg('device')} next`,
  }),
  {
    words: ['node', 'console', 'show'],
    about: "show what a node's serial console prints, until Ctrl-C",
    args: [node],
    example: 'node console show node-12',
    run: async ({ corral, output, signal }, parsed) => {
      const bytes = await (await corral()).showConsole({ node: parsed.arg('node') }, { signal });
      for await (const chunk of bytes) await output.raw(chunk);
    },
  },
];
