import { TimedOutError } from '../../index.ts';
import { timerFor } from '../../pause.ts';
import { simpleCommand } from '../simple-command.ts';
import type { Argument, Command } from '../cli-command.ts';

const node: Argument = { name: 'node', kind: 'node' };

/** Out-of-band management: power, boot device, console. */
export const obmCommands: readonly Command[] = [
  ...(['enable', 'disable'] as const).map((verb) =>
    simpleCommand({
      usage: `node obm ${verb} <node>`,
      about: `${verb} power, boot device and console of a node`,
      example: `node obm ${verb} node-12`,
      call: (corral, args) => corral.nodeSetObm({ ...args, enabled: verb === 'enable' }),
      sentence: (args) => `out-of-band management of node ${args.node} is ${verb}d`,
    }),
  ),
  simpleCommand({
    usage: 'node power on <node>',
    about: 'power a node on',
    example: 'node power on node-12',
    call: (corral, args) => corral.nodePowerOn(args),
    sentence: (args) => `node ${args.node} is on`,
  }),
  simpleCommand({
    usage: 'node power off <node>',
    about: 'power a node off',
    example: 'node power off node-12',
    call: (corral, args) => corral.nodePowerOff(args),
    sentence: (args) => `node ${args.node} is off`,
  }),
  simpleCommand({
    usage: 'node power cycle <node>',
    about: 'power cycle a node and boot it from the network',
    options: { force: { about: 'without shutting down its operating system first' } },
    example: 'node power cycle node-12 --force',
    call: (corral, args, parsed) => corral.nodePowerCycle({ ...args, force: parsed.flag('force') }),
    sentence: (args) => `node ${args.node} is restarting`,
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
    usage: 'node bootdev <node> <device:disk|pxe|none>',
    about: 'set what a node boots from',
    example: 'node bootdev node-12 pxe',
    call: (corral, args) => corral.nodeSetBootdev({ node: args.node, bootdev: args.device }),
    sentence: (args) => `node ${args.node} boots from ${args.device} next`,
  }),
  {
    words: ['node', 'console'],
    about: "connect this terminal with a node's serial console, until Enter ~.",
    args: [node],
    options: {
      'read-only': { about: 'show the console, and send no keys to it' },
      log: { value: 'FILE', kind: 'file', about: 'append what the node prints to this file' },
    },
    example: 'node console node-12 --log node-12.log',
    run: async (context, parsed) => {
      const { attachConsole } = await import('../console/attach-console.ts');
      await attachConsole(context, {
        node: parsed.arg('node'),
        isReadOnly: parsed.flag('read-only'),
        log: parsed.option('log'),
      });
    },
  },
  {
    words: ['node', 'console', 'show'],
    about: "show what a node's serial console prints, until Ctrl-C",
    args: [node],
    example: 'node console show node-12',
    run: async ({ corral, output, signal, timeoutMs }, parsed) => {
      const label = parsed.arg('node');
      const limit = timeoutMs === undefined ? null : AbortSignal.timeout(timerFor(timeoutMs));
      const client = await corral();
      try {
        const either = limit === null ? signal : AbortSignal.any([signal, limit]);
        for await (const chunk of await client.showConsole({ node: label }, { signal: either }))
          await output.raw(chunk);
      } catch (error) {
        if (!limit?.aborted || signal.aborted) throw error;
        throw new TimedOutError(`the console of node ${label} was shown for ${(timeoutMs ?? 0) / 1000} s`);
      }
    },
  },
];
