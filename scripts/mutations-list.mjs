// What the tests have to notice, for `npm run mutations`: each entry breaks one promise, and one of its tests fails then.
//   file, text, replacement: the text occurs in the file exactly once
//   breaks: the promise that is not kept any more
//   tests: vitest files of which at least one test must fail

/** @type {readonly { breaks: string; file: string; text: string; replacement: string; tests: readonly string[] }[]} */
export const mutations = [
  // Fences and leases
  {
    breaks: 'a worker settles although the switch is another worker’s by now',
    file: 'service/src/worker/settle.ts',
    text: `  await requireLease(op, lease);
  await settleDone(`,
    replacement: `  await settleDone(`,
    tests: ['service/test/worker/fences.test.ts'],
  },
  {
    breaks: 'a worker writes to ports although the switch is another worker’s by now',
    file: 'service/src/worker/settle.ts',
    text: `  await requireLease(op, lease);
  await writing(`,
    replacement: `  await writing(`,
    tests: ['service/test/worker/fences.test.ts'],
  },
  {
    breaks: 'a lease counts whatever its fence',
    file: 'service/src/core/leases.ts',
    text: `    .where('holder', '=', holder)
    .where('fence', '=', fence),`,
    replacement: `    .where('holder', '=', holder),`,
    tests: ['service/test/worker/fences.test.ts'],
  },
  {
    breaks: 'OBM is enabled without its lease',
    file: 'service/src/core/obm.ts',
    text: `      await requireLease(op, held.lease);
      const current = await findManageable(op, node.label);`,
    replacement: `      const current = await findManageable(op, node.label);`,
    tests: ['service/test/obm-races.test.ts', 'service/test/sleeping-callers.test.ts'],
  },
  {
    breaks: 'a token is asked for without confirming the lease',
    file: 'service/src/core/obm.ts',
    text: `  await held.confirm();
  const token`,
    replacement: `  const token`,
    tests: ['service/test/sleeping-callers.test.ts'],
  },
  {
    breaks: 'a console is opened without confirming its lease',
    file: 'service/src/core/console.ts',
    text: `        await held.confirm();
`,
    replacement: '',
    tests: ['service/test/sleeping-callers.test.ts'],
  },
  {
    breaks: 'a console is opened without its lease',
    file: 'service/src/core/console.ts',
    text: 'await exclusively(desk, `console/${id}`, async (held) => {',
    replacement: 'await exclusively(desk, `console/${id}/${randomUUID()}`, async (held) => {',
    tests: ['service/test/console.test.ts', 'service/test/obm-races.test.ts'],
  },
  {
    breaks: 'events are numbered without the order lock on PostgreSQL',
    file: 'base/src/db/postgres.ts',
    text: 'await sql`select pg_advisory_xact_lock(${lockSpace.events})`.execute(tx);',
    replacement: 'await Promise.resolve(tx);',
    tests: ['service/test/events.test.ts'],
  },
  {
    breaks: 'a secret in the reason of a refusal is told',
    file: 'service/src/worker/hushed-session.ts',
    text: '{ ...outcome, reason: withoutSecrets(outcome.reason, secrets) }',
    replacement: 'outcome',
    tests: ['service/test/canary.test.ts', 'service/test/engine.test.ts'],
  },
  {
    breaks: 'the SDK repeats a change after 502',
    file: 'client/src/transport.ts',
    text: 'return request.isSafe && error.status === 502;',
    replacement: 'return error.status === 502;',
    tests: ['client/test/sdk.test.ts'],
  },
  {
    breaks: 'the SDK repeats a change after a time-out',
    file: 'client/src/transport.ts',
    text: 'return request.isSafe && error instanceof TimedOutError;',
    replacement: 'return error instanceof TimedOutError;',
    tests: ['client/test/sdk.test.ts'],
  },
  {
    breaks: 'a channel of a nic carries two networks',
    file: 'service/src/db/migrations/0001-initial.ts',
    text: `      constraint one_network_per_channel_of_a_nic unique (nic_id, channel),
`,
    replacement: '',
    tests: ['service/test/db/schema.test.ts'],
  },
  {
    breaks: 'a nic has two pending actions',
    file: 'service/src/db/migrations/0001-initial.ts',
    text: "`create unique index one_pending_action_per_nic on actions (nic_id) where status = 'PENDING'`,",
    replacement: '',
    tests: ['service/test/db/schema.test.ts'],
  },
];
