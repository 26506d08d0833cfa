import type { Argument, Command } from '../cli-command.ts';
import { collectFields, fieldsIn } from '../collect-device-fields.ts';
import { bmcInfo, readBmcTypes, typeHeadings, typeRows } from '../device-fields.ts';
import { reportDone } from '../report-done.ts';
import { simpleCommand } from '../simple-command.ts';

const node: Argument = { name: 'node', kind: 'node' };

/** BMCs, as they are registered with the OBM daemons of their nodes. */
export const bmcCommands: readonly Command[] = [
  {
    words: ['bmc', 'register'],
    about:
      "register a node's BMC, also again; fields are its type's, such as addr=192.0.2.7 user=corral; prompts for the password",
    args: [node, { name: 'type', kind: 'text' }, { name: 'field', kind: 'text', isOptional: true, isRest: true }],
    options: { 'password-file': { value: 'FILE', about: "file with the BMC's password; - for standard input" } },
    example: 'bmc register n1 ipmi addr=192.0.2.7 user=corral --password-file pw',
    run: async (context, parsed) => {
      const { corral, output, signal } = context;
      const [label, type] = [parsed.arg('node'), parsed.arg('type')];
      const given = fieldsIn(parsed.rest('field'), parsed.option('password-file'));
      const client = await corral();
      const what = `the BMC of node ${label}`;
      const fields = await collectFields(context, await readBmcTypes(client, signal), { what, type, fields: given });
      await client.bmcRegister({ node: label, type, info: bmcInfo(fields) });
      reportDone(output, `the BMC of node ${label} is registered; try it: corral bmc test ${label}`);
    },
  },
  {
    words: ['bmc', 'show'],
    about: "show a node's BMC as it is registered with its OBM daemon, without secrets",
    args: [node],
    example: 'bmc show node-12',
    run: async ({ corral, output }, parsed) => {
      const client = await corral();
      const shown = await client.showBmc({ node: parsed.arg('node') });
      const { uri, inside } = await client.showObmd({ node: parsed.arg('node') });
      output.facts(
        [
          ['type', shown.type],
          ...Object.entries(shown.info).map(([name, value]) => [name, String(value)] as const),
          ['OBM daemon', inside ? 'inside the service' : uri],
        ],
        { ...shown, obmd: { uri, inside } },
      );
    },
  },
  {
    words: ['bmc', 'list'],
    about: 'list the BMCs of all nodes',
    example: 'bmc list',
    run: async ({ corral, output, signal }) => {
      const client = await corral();
      const progress = output.progress('reading BMCs');
      try {
        const { bmcs, unread } = await client.listBmcs({}, { signal });
        progress.stop();
        const rows = bmcs.map(({ node: label, uri, bmc }) => {
          const daemon = new URL(uri).origin;
          const missing = daemon in unread ? 'not known' : 'none';
          return [label, bmc?.type ?? missing, addressIn(bmc?.info ?? {}), daemon];
        });
        const known = bmcs.flatMap(({ node: label, bmc }) => (bmc === null ? [] : [[label, bmc] as const]));
        const value = { bmcs: Object.fromEntries(known), unread };
        output.table(['node', 'BMC', 'address', 'OBM daemon'], rows, value, 'no nodes');
        for (const [daemon, reason] of Object.entries(unread)) {
          output.note(`the OBM daemon at ${daemon} was not asked: ${reason}`);
        }
      } finally {
        progress.stop();
      }
    },
  },
  simpleCommand({
    usage: 'bmc delete <node>',
    about: "delete a node's BMC from its OBM daemon",
    example: 'bmc delete n1',
    call: (corral, args) => corral.bmcDelete(args),
    sentence: (args) => `the BMC of node ${args.node} is deleted`,
  }),
  {
    words: ['bmc', 'test'],
    about: "log in to a node's BMC: what answers, with which privileges, and how long it takes",
    args: [node],
    example: 'bmc test node-12',
    run: async ({ corral, output }, parsed) => {
      const test = await (await corral()).bmcTest({ node: parsed.arg('node') });
      output.facts(
        [
          ['answered', test.answered],
          ['privileges', test.privileges],
          ['took', `${test.seconds} s`],
        ],
        test,
      );
    },
  },
  {
    words: ['bmc', 'types'],
    about: 'list the types of BMCs that can be registered, and their fields',
    example: 'bmc types',
    run: async ({ corral, output, signal }) => {
      const known = await readBmcTypes(await corral(), signal);
      const types = Object.fromEntries([...known.fields].map(([type, fields]) => [type, { fields }]));
      output.table(typeHeadings, typeRows(types), types, 'no types');
    },
  },
];

/** Where a BMC is, whatever its kind calls it. */
const addressIn = (info: Readonly<Record<string, unknown>>): string => {
  const found = [info['addr'], info['url'], info['uri']].find((value) => typeof value === 'string');
  return typeof found === 'string' ? found : '';
};
