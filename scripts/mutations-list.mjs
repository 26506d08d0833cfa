// What the tests have to notice, for `npm run mutations`: each entry breaks one promise, and a test fails then.
// An entry is: the promise that is broken, the file, a text that occurs in it exactly once, what replaces it, and the
// vitest files of which at least one test has to fail.

const mutation = (breaks, file, text, replacement, ...tests) => ({ breaks, file, text, replacement, tests });

/** Tests that several entries name. */
const fences = 'service/test/worker/fences.test.ts';
const switchUpdate = 'service/test/core/switch-update.test.ts';
const commitFlush = 'base/test/db/commit-flush.test.ts';
const authorization = 'service/test/whole/authorization.test.ts';
const rights = 'service/test/auth/current-rights.test.ts';
const engine = 'service/test/worker/engine.test.ts';
const pauses = 'service/test/worker/engine-pauses.test.ts';
const wakes = 'service/test/worker/engine-wakes.test.ts';
const lateWrites = 'service/test/worker/late-writes.test.ts';
const leases = 'service/test/core/leases.test.ts';
const heldLease = 'base/test/db/held-lease.test.ts';
const sleeping = 'service/test/auth/suspended-callers.test.ts';
const obmRaces = 'service/test/core/obm-races.test.ts';
const schema = 'service/test/db/schema.test.ts';
const made = 'service/test/auth/sessions-and-tokens.test.ts';
const throttle = 'service/test/auth/login-throttle.test.ts';
const narrow = 'service/test/drivers/incomplete-readings.test.ts';
const standby = 'obmd/test/standby.test.ts';
const historyExport = 'service/test/worker/history-export.test.ts';
const historyLease = 'service/test/worker/history-lease.test.ts';
const statementPlans = 'service/test/db/statement-plans.test.ts';
const packages = 'test/packages.test.ts';
const guardedDevice = 'base/test/guarded-device.test.ts';

export const mutations = [
  // Packages: whole, and the same whoever makes them
  mutation(
    'an installed program lacks a native module',
    'scripts/pack.mjs',
    "'@node-rs/argon2': 'service', libsql: 'base' };",
    "'@node-rs/argon2': 'service' };",
    packages,
  ),
  mutation(
    'a package can be read by nobody but its owner',
    'scripts/pack.mjs',
    '  await chmod(to, 0o644);\n',
    '',
    packages,
  ),
  mutation(
    'the package of the SDK has no types',
    'client/tsconfig.sdk.json',
    '"sourceMap": false,',
    '"sourceMap": false, "declaration": false,',
    packages,
  ),
  // History: nothing is deleted before it was written, and no file is lost to another
  mutation(
    'history is deleted that was not exported',
    'service/src/worker/history-pruning.ts',
    `      await writeHistoryFile(exportDir, kind.name, entries);
`,
    '',
    historyExport,
  ),
  mutation(
    'a file of exported history replaces another',
    'service/src/worker/history-files.ts',
    `linesOf(entries), 'keep')`,
    `linesOf(entries), 'replace')`,
    historyExport,
  ),
  mutation(
    'drafts of exported history stay for ever',
    'service/src/worker/history-pruning.ts',
    '        if (exportDir !== null) await removeHistoryDrafts(exportDir);\n',
    '',
    historyExport,
  ),
  mutation(
    'history is deleted under a lease that is another’s',
    'service/src/worker/history-pruning.ts',
    '        await requireLease(op, held.lease);\n',
    '',
    historyLease,
  ),
  mutation(
    'history is exported under a lease that is known to be another’s',
    'service/src/worker/history-pruning.ts',
    '      held.check();\n',
    '',
    historyLease,
  ),
  mutation(
    'a look at all events goes beyond what is settled',
    'service/src/core/audit.ts',
    'found.rows.filter(({ id }) => id <= settled)',
    'found.rows',
    'service/test/db/event-order.test.ts',
  ),
  mutation(
    'the engine looks at every switch for those to repair',
    'service/src/worker/due-switches.ts',
    `sql.lit('repair' as const)`,
    `'repair'`,
    statementPlans,
  ),

  // Fences: what was done under a lease that is another’s by now is not recorded
  mutation(
    'a worker settles without the fence',
    'service/src/worker/settle-endings.ts',
    `  await requireLease(op, lease);
  await settleDone(`,
    '  await settleDone(',
    fences,
  ),
  mutation(
    'a worker writes to ports without the fence',
    'service/src/worker/settle-endings.ts',
    `  await requireLease(op, lease);
  await writing(`,
    '  await writing(',
    fences,
  ),
  mutation(
    'an attempt that does not get through answers nobody who waits for a reading',
    'service/src/worker/switch-worker.ts',
    'connection.sweepWanted = sweepWanted;',
    'connection.sweepWanted = plan.isSweepTried ? sweepWanted : null;',
    'service/test/worker/drift.test.ts',
  ),
  mutation(
    'a service that starts does not read the switches',
    'service/src/worker/engine.ts',
    'await this.#askForSweeps();',
    '',
    'service/test/worker/drift.test.ts',
  ),
  mutation(
    'a worker records what it found with the old fields of a switch',
    'service/src/worker/session-numbers.ts',
    '  if ((await asked)?.session !== newest) throw new SwitchUpdated();\n',
    '',
    switchUpdate,
  ),
  mutation(
    'a session with old fields is used after an update',
    'service/src/worker/switch-connection.ts',
    'if (this.#session !== null && this.number !== newest) await this.disconnect();',
    '',
    switchUpdate,
  ),
  mutation(
    'ports of a switch at a new place are trusted before they were read',
    'service/src/core/switch-identity.ts',
    `  await releaseDuplicates(op, own.id);
  await distrustPorts(op, own.id);
`,
    '  await releaseDuplicates(op, own.id);\n',
    switchUpdate,
  ),
  mutation(
    'an update moves a switch to the place of another',
    'service/src/core/switch-update.ts',
    'await requireFreeAddresses(op, found, change.places);',
    '',
    switchUpdate,
  ),
  mutation(
    'a worker records readings without the fence',
    'service/src/worker/sweep-ports.ts',
    `  await requireLease(op, lease);
  if (sightings`,
    '  if (sightings',
    fences,
  ),
  mutation(
    'a worker records a fault without the fence',
    'service/src/worker/switch-health.ts',
    `  await requireLease(op, lease);
  await op.tx
    .updateTable('switches')
    .set((set)`,
    `  await op.tx
    .updateTable('switches')
    .set((set)`,
    fences,
  ),
  mutation(
    'a worker records a recovery without the fence',
    'service/src/worker/switch-health.ts',
    `  await requireLease(op, lease);
  const row =`,
    '  const row =',
    fences,
  ),
  mutation(
    'a worker records a saved configuration without the fence',
    'service/src/worker/switch-health.ts',
    `  await requireLease(op, lease);
  await op.tx
    .updateTable('switches')
    .set({ unsaved_since`,
    `  await op.tx
    .updateTable('switches')
    .set({ unsaved_since`,
    fences,
  ),
  mutation(
    'a worker records a failed save without the fence',
    'service/src/worker/switch-health.ts',
    `  await requireLease(op, lease);
  await op.tx
    .updateTable('switches')
    .set({ save_fault`,
    `  await op.tx
    .updateTable('switches')
    .set({ save_fault`,
    fences,
  ),
  mutation(
    'a worker calls a device without confirming its lease',
    'service/src/worker/guarded-session.ts',
    'confirm: () => held.confirm(), ',
    '',
    fences,
  ),
  mutation(
    'a device is called although it is no longer ours',
    'base/src/guarded-device.ts',
    `  if (confirm) await confirm();
`,
    '',
    guardedDevice,
  ),
  mutation(
    'a change is acknowledged before it is on the disk',
    'base/src/db/sqlite-engine.ts',
    '      await flush.settled();\n    }\n  };',
    '      void flush.settled().catch(() => undefined);\n    }\n  };',
    commitFlush,
  ),
  mutation(
    'readers see what is not on the disk',
    'base/src/db/commit-flush.ts',
    'if (isFirst) this.#snapshots.hold();',
    '',
    commitFlush,
  ),
  mutation(
    'readers do not see what was acknowledged while newer changes wait',
    'base/src/db/commit-flush.ts',
    'else this.#snapshots.advance();',
    '',
    commitFlush,
  ),
  mutation(
    'a flush that failed counts as done',
    'base/src/db/commit-flush.ts',
    '      this.fail(error);',
    '      this.#flushed = upTo;\n      void error;',
    commitFlush,
  ),
  mutation(
    'the log of the embedded database grows without end',
    'base/src/db/sqlite-storage.ts',
    '    this.#checkpoints.changed();\n',
    '',
    commitFlush,
  ),
  mutation(
    'a reader takes its moment at its first statement',
    'base/src/db/sqlite-engine.ts',
    'reader.beginRead();',
    "reader.exec('begin');",
    commitFlush,
  ),
  mutation(
    'a lease counts whatever its fence',
    'base/src/db/lease-table.ts',
    'where ${this.#isOurs(lease)} ${locksRows',
    'where lease.name = ${lease.name} and lease.holder = ${lease.holder} ${locksRows',
    fences,
  ),
  mutation(
    'a lease is taken while a transaction under it has not ended',
    'base/src/db/lease-table.ts',
    'locksRows(tx) ? sql`for share` : sql``',
    'sql``',
    'service/test/worker/lease-order.test.ts',
  ),

  // Leases
  mutation(
    'a lease is claimed that was renewed since it was seen',
    'base/src/db/lease-table.ts',
    ' and lease.expires_at = ${seen.expires_at}',
    '',
    leases,
  ),
  mutation(
    'a lease is claimed that changed hands since it was seen',
    'base/src/db/lease-table.ts',
    'sql`${this.#is(seen)} and lease.expires_at = ${seen.expires_at}` : sql`false`',
    'sql`true` : sql`false`',
    leases,
  ),
  mutation(
    'a lease is claimed that was not there when it was looked for',
    'base/src/db/lease-table.ts',
    'sql`false`',
    'sql`true`',
    leases,
  ),
  mutation(
    'a lease that was given back is renewed',
    'base/src/db/lease-table.ts',
    ' and lease.expires_at <> 0',
    '',
    leases,
  ),
  mutation(
    'a lease is renewed by whoever had it before',
    'base/src/db/lease-table.ts',
    'set expires_at = ${now} + ${ms} where ${this.#isOurs(lease)}',
    'set expires_at = ${now} + ${ms} where lease.name = ${lease.name}',
    leases,
  ),
  mutation(
    'a lease is given back by whoever had it before',
    'base/src/db/lease-table.ts',
    'set expires_at = 0 where ${this.#is(lease)}',
    'set expires_at = 0 where lease.name = ${lease.name}',
    leases,
  ),
  mutation(
    'the fence does not grow when a lease changes hands',
    'base/src/db/lease-table.ts',
    'lease.fence + 1',
    'lease.fence',
    leases,
  ),
  mutation(
    'a lease that is held can be had',
    'base/src/db/lease-watch.ts',
    'if (waitMs > 0) return { free: null, waitMs, row };',
    '',
    leases,
  ),
  mutation(
    'a lease counts as free as soon as the clock of the database says so',
    'base/src/db/lease-watch.ts',
    'if (leftMs < 0) return Math.ceil(deadAfter * ms - sameForMs);',
    'if (leftMs < 0) return 0;',
    leases,
  ),
  mutation(
    'a lease whose end is far in the future is waited for until then',
    'base/src/db/lease-watch.ts',
    'Math.min(leftMs + 1, longestWait * ms - sameForMs)',
    'leftMs + 1',
    leases,
  ),
  mutation(
    'the time since a lease was confirmed is not compared with its length',
    'base/src/db/held-lease.ts',
    'return !this.lost.aborted && elapsedSince(this.#confirmed) < this.#parts.ms;',
    'return !this.lost.aborted;',
    heldLease,
  ),
  mutation(
    'a lease is not asked for again before a device is called',
    'base/src/db/held-lease.ts',
    'if (elapsedSince(this.#confirmed) >= this.#parts.ms / 2) await',
    'if (false) await',
    heldLease,
  ),
  mutation(
    'what is under way goes on while the database does not answer for longer than its lease',
    'base/src/db/held-lease.ts',
    'if (isAsking) return compare();',
    'if (isAsking) return;',
    heldLease,
  ),
  mutation(
    'what is under way goes on after the time of its lease is over',
    'base/src/db/held-lease.ts',
    '    if (endsOnTime) watchExpiry();',
    '',
    heldLease,
  ),
  mutation(
    'a lease that is kept is not renewed',
    'base/src/db/held-lease.ts',
    `      isAsking = true;
      this.renew()`,
    `      isAsking = true;
      Promise.resolve()`,
    heldLease,
  ),
  mutation(
    'OBM is enabled without its lease',
    'service/src/core/obm.ts',
    `      await requireLease(op, held.lease);
      const current = await find(op)`,
    '      const current = await find(op)',
    obmRaces,
  ),
  mutation(
    'OBM is disabled without its lease',
    'service/src/core/obm.ts',
    `    await requireLease(op, held.lease);
    const current = await findNode`,
    '    const current = await findNode',
    obmRaces,
  ),
  mutation(
    'OBM is changed by two at once',
    'service/src/core/obm.ts',
    'withLease(context, `obm/${found.id}`',
    'withLease(context, `obm/${found.id}/${Math.random()}`',
    obmRaces,
  ),
  mutation(
    'a console is opened without confirming its lease',
    'service/src/core/console.ts',
    `        await held.confirm();
`,
    '',
    sleeping,
  ),
  mutation(
    'a console is opened without its lease',
    'service/src/core/console.ts',
    'withLease(context, `console/${id}`',
    'withLease(context, `console/${id}/${randomUUID()}`',
    obmRaces,
  ),
  mutation(
    'a daemon is called with a lease that ran out',
    'service/src/drivers/obm/obm-http-client.ts',
    '      check: permit?.check,\n',
    '',
    sleeping,
  ),
  mutation(
    'a console is opened with a lease that ran out',
    'service/src/drivers/obm/obm-http-client.ts',
    ', check: permit.check }',
    ' }',
    sleeping,
  ),
  mutation(
    'a request is sent although nothing may be sent any more',
    'base/src/http/http-client.ts',
    '    check();\n    const { signal',
    '    const { signal',
    'service/test/drivers/lost-lease.test.ts',
  ),
  mutation(
    'rights that were read long ago count for a call to a device',
    'service/src/core/fresh-rights.ts',
    'if (elapsedSince(this.#asked) >= freshForMs) throw',
    'if (false) throw',
    'service/test/core/fresh-rights.test.ts',
  ),
  mutation(
    'a console is opened with rights that were read long ago',
    'service/src/core/console.ts',
    'allOf(rights, held)',
    'held',
    'service/test/packets/stopped-replica.test.ts',
  ),
  mutation(
    'a checkpoint closes the index of the log, and with it the locks of the process',
    'base/src/db/log-checkpoints.ts',
    'openSync(`${this.#path}-wal`',
    'openSync(`${this.#path}-shm`',
    'base/test/db/log-checkpoints.test.ts',
  ),
  mutation(
    'the log of an embedded database grows without end',
    'base/src/db/log-checkpoints.ts',
    'if (this.#isLong())',
    'if (false)',
    'base/test/db/commit-flush.test.ts',
  ),
  mutation(
    'a monotonic clock that goes back moves the steady clock away',
    'base/src/steady-clock.ts',
    'Math.max(0, at - this.#at)',
    '(at - this.#at)',
    'base/test/steady-clock.test.ts',
  ),
  mutation(
    'a command is sent to a switch with a lease that ran out',
    'service/src/drivers/switches/cli/cli-session.ts',
    `    this.#permit?.check();
    this.#output.clear();`,
    '    this.#output.clear();',
    'service/test/drivers/lost-lease.test.ts',
  ),
  mutation(
    'a request is sent to a switch with a lease that ran out',
    'service/src/drivers/switches/http/switch-http-client.ts',
    'const check = this.#limits.permit?.check;',
    'const check = undefined;',
    'service/test/drivers/lost-lease.test.ts',
  ),
  mutation(
    'an OVSDB transaction is sent with a lease that ran out',
    'service/src/drivers/switches/ovs/ovsdb.ts',
    `    this.#permit?.check();
`,
    '',
    'service/test/drivers/lost-lease.test.ts',
  ),
  mutation(
    'a NETCONF operation is sent with a lease that ran out',
    'service/src/drivers/switches/netconf/netconf-client.ts',
    `    this.#permit?.check();
`,
    '',
    'service/test/drivers/lost-lease.test.ts',
  ),

  // The test of a switch changes nothing
  mutation(
    'a test sends requests that change a switch',
    'service/src/drivers/switches/http/dry-http.ts',
    "if (method === 'GET' || isQuestion)",
    "if (method !== 'DELETE' || isQuestion)",
    'service/test/drivers/switch-contract.test.ts',
  ),
  mutation(
    'a test sends NETCONF operations that change a switch',
    'service/src/drivers/switches/netconf/dry-netconf.ts',
    "if (operation.startsWith('<get-'))",
    "if (operation.startsWith('<'))",
    'service/test/drivers/switch-contract.test.ts',
  ),
  mutation(
    'a test sends commands that change a switch',
    'service/src/drivers/switches/cli/cli-driver.ts',
    'guarded(applyPorts({ reads, changes }, ports, until))',
    'guarded(applyPorts({ reads, changes: reads }, ports, until))',
    'service/test/drivers/switch-contract.test.ts',
  ),
  mutation(
    'a test shows secrets of a switch',
    'service/src/drivers/switches/http/eapi-commands.ts',
    'shown: requestOf(commands.map(withoutInput), format),',
    '',
    'service/test/core/switch-test.test.ts',
  ),

  // What belongs to the operator is not made up
  mutation(
    'an empty database is made where one was',
    'service/src/lost-database.ts',
    'if (trace === undefined || existsSync(database.path)) return;',
    'if (trace === undefined || database.path.length > 0) return;',
    'service/test/whole/service-program.test.ts',
  ),
  mutation(
    'the first password gets into a log',
    'service/src/main.ts',
    'process.stdout.isTTY',
    'process.stdout.writable',
    'service/test/whole/service-program.test.ts',
  ),
  mutation(
    'files of root stay where the service cannot open them',
    'service/src/admin/hand-over.ts',
    'made.uid === 0 && uid !== 0',
    'made.uid === 0 && uid === 0',
    'service/test/admin/admin-migrate.test.ts',
  ),

  // Events and the schema
  mutation(
    'events are written by the transaction itself, whose number is older than their ids',
    'service/src/db/event-order.ts',
    `  await send('savepoint events', [], 'all');
`,
    '',
    'service/test/db/event-order.test.ts',
  ),
  mutation(
    'ids of events are taken before the transaction has a number',
    'service/src/db/event-order.ts',
    `  await send('select pg_current_xact_id()', [], 'all');
`,
    '',
    'service/test/db/event-order.test.ts',
  ),
  mutation(
    'events count as settled as soon as they are committed',
    'service/src/db/event-order.ts',
    '>= ${firstUnknown} - ${oldest}`',
    '>= 0`',
    'service/test/whole/event-storm.test.ts',
  ),
  mutation(
    'transactions of other programs keep events back',
    'service/src/db/event-order.ts',
    'now - oldest.since >= suspiciousMs ? oldest.number',
    'now - oldest.since < 0 ? oldest.number',
    'service/test/db/event-order.test.ts',
  ),
  mutation(
    'a transaction that was rolled back instead of committed counts as committed',
    'base/src/db/postgres-transactions.ts',
    "if (command !== 'ROLLBACK') return result;",
    'if (command !== null) return result;',
    'service/test/db/sent-statements.test.ts',
  ),
  mutation(
    'a channel of a nic carries two networks',
    'service/src/db/migrations/0001-initial.ts',
    `      constraint one_network_per_channel_of_a_nic unique (nic_id, channel),
`,
    '',
    schema,
  ),
  mutation(
    'a nic has two pending actions',
    'service/src/db/migrations/0001-initial.ts',
    "`create unique index one_pending_action_per_nic on actions (nic_id) where status = 'PENDING'`,",
    '',
    schema,
  ),

  // Permissions
  mutation(
    'everybody is an administrator',
    'service/src/core/caller.ts',
    `  if (!isAdmin(caller))
`,
    `  if (false)
`,
    authorization,
  ),
  mutation(
    'everybody may act for every project',
    'service/src/core/caller.ts',
    `  if (!mayActFor(caller, project))
`,
    `  if (false)
`,
    authorization,
  ),
  mutation(
    'a free node is everybody’s',
    'service/src/core/caller.ts',
    'if (project === null) return requireAdmin(caller);',
    'if (project === null) return;',
    authorization,
  ),
  mutation(
    'a token that may only look changes things',
    'service/src/core/caller.ts',
    "if (caller.kind === 'user' && caller.readOnly)",
    'if (false)',
    made,
  ),
  mutation(
    'a token makes what only a person may make',
    'service/src/core/caller.ts',
    "if (caller.kind === 'user' && caller.by?.kind === 'token')",
    'if (false)',
    made,
  ),
  mutation(
    'answers are kept for callers with other rights',
    'service/src/core/caller.ts',
    "['user', ...[...caller.projects].sort()].join('\\0')",
    "'user'",
    'service/test/server/response-cache.test.ts',
  ),
  mutation(
    'whoever asks sees another project’s networking action',
    'service/src/core/actions.ts',
    '  requireProject(op.caller, action.project);\n',
    '',
    authorization,
  ),
  mutation(
    'whoever asks changes networks of another project’s node',
    'service/src/core/attachments.ts',
    '  requireProject(op.caller, node.project);\n',
    '',
    authorization,
  ),
  mutation(
    'whoever asks deletes another project’s network',
    'service/src/core/networks.ts',
    '  requireProject(op.caller, network.owner);\n',
    '',
    authorization,
  ),
  mutation(
    'nobody sees that a project was let onto a network',
    'service/src/core/network-access.ts',
    `  op.record({
    type: 'network_grant_project_access',`,
    `  void ({
    type: 'network_grant_project_access',`,
    'service/test/core/network-access.test.ts',
  ),
  mutation(
    'whoever asks sees another project’s network',
    'service/src/core/networks.ts',
    '  requireAccess(op, network, access);\n',
    '',
    authorization,
  ),
  mutation(
    'whoever asks has another project’s node managed',
    'service/src/core/obm.ts',
    '  requireProject(op.caller, node.project);\n',
    '',
    authorization,
  ),
  mutation(
    'whoever asks sees who is on another project’s network',
    'service/src/core/reach.ts',
    '  requireProject(op.caller, network.owner);\n',
    '',
    authorization,
  ),
  mutation(
    'whoever asks changes another project’s headnode',
    'service/src/core/headnodes.ts',
    '  requireProject(op.caller, headnode.project);\n',
    '',
    authorization,
  ),
  mutation(
    'two services start on one embedded database',
    'service/src/main.ts',
    '  requireSoleUser(config.database);\n',
    '',
    'service/test/whole/service-program.test.ts',
  ),
  mutation(
    'a service goes on reading a database file that is gone',
    'base/src/db/sqlite-engine.ts',
    'sharesFlushes ? file.watch((error) => condition.failed(error)) : () => undefined',
    '() => undefined',
    'service/test/db/database-faults.test.ts',
  ),
  mutation(
    'the log of a database that was replaced gets into the other one',
    'base/src/run-program.ts',
    '  stop().then(exit, exit);',
    '  void stop;\n  exit();',
    'service/test/db/lost-database-file.test.ts',
  ),
  mutation(
    'a console is read faster than the terminal takes it',
    'client/src/cli/console/console-connection.ts',
    '    socket.pause();\n',
    '',
    'client/test/console-connection.test.ts',
  ),
  mutation(
    'a console ends while its terminal takes nothing',
    'client/src/cli/console/console-connection.ts',
    '(untaken > 0 ? watch?.refresh() : socket.terminate())',
    'socket.terminate()',
    'client/test/console-connection.test.ts',
  ),
  mutation(
    'a console waits for ever for a service that is silent',
    'client/src/cli/console/console-connection.ts',
    'untaken > 0 ? watch?.refresh() : socket.terminate()',
    'watch?.refresh()',
    'client/test/console-connection.test.ts',
  ),
  mutation(
    'the BMC of a deleted node stays when a process dies',
    'service/src/core/nodes.ts',
    '  await recordDepartedBmc(op, node);\n',
    '',
    'service/test/core/departed-bmcs.test.ts',
  ),
  mutation(
    'a node gets an address whose BMC is about to be deleted',
    'service/src/core/nodes.ts',
    '  await requireNoDepartedBmc(op, uri);\n',
    '',
    'service/test/core/departed-bmcs.test.ts',
  ),
  mutation(
    'a service forgets what runs the machines of its headnodes',
    'service/src/start.ts',
    '  await requireOwnMachines(db, config.hypervisor);\n',
    '',
    'service/test/core/no-hypervisor.test.ts',
  ),
  mutation(
    'a process with another hypervisor changes headnodes',
    'service/src/core/headnode-lifecycle.ts',
    '        await requireOwnMachines(op);\n',
    '',
    'service/test/core/two-hypervisors.test.ts',
  ),
  mutation(
    'two hypervisors get the first machine at the same moment',
    'service/src/core/headnode-lifecycle.ts',
    '        await takeMachines(op);\n        // A machine',
    '        // A machine',
    'service/test/core/two-hypervisors.test.ts',
  ),
  mutation(
    'a node is reserved with a port that is not to be trusted',
    'service/src/core/node-moves.ts',
    ', ahead(requireTrustedPorts(op, node, refusal))',
    '',
    'service/test/worker/port-trust.test.ts',
    'service/test/worker/drift.test.ts',
  ),
  mutation(
    'a node is reserved whose switch is registered twice',
    'service/src/core/node-moves.ts',
    'ahead(requireSoleRecords(op, node, refusal)), ',
    '',
    'service/test/core/switch-identity.test.ts',
  ),
  mutation(
    'a node is connected whose switch is registered twice',
    'service/src/core/attachments.ts',
    '  await sole;\n',
    '',
    'service/test/core/switch-identity.test.ts',
  ),
  mutation(
    'a node is deleted with a port that is not to be trusted',
    'service/src/core/nodes.ts',
    '  await requireTrustedPorts(op, node, `node ${node.label} cannot be deleted`);\n',
    '',
    'service/test/worker/port-trust.test.ts',
  ),
  mutation(
    'an overview shows nodes of other projects',
    'service/src/core/node-overview.ts',
    'project === null || mayActFor(caller, project)',
    'true',
    'service/test/core/node-overview.test.ts',
  ),
  mutation(
    'an overview shows networks that nobody gave access to',
    'service/src/core/network-overview.ts',
    'use === null && !isAdmin(op.caller)',
    'false',
    'service/test/core/network-overview.test.ts',
  ),
  mutation(
    'a hint tells of private networks',
    'service/src/core/open-changes.ts',
    'isPublic === true',
    'true',
    'service/test/server/change-hints.test.ts',
  ),
  mutation(
    'a hint tells of nodes of other projects',
    'service/src/core/open-changes.ts',
    'return project === null',
    'return project !== undefined',
    'service/test/server/change-hints.test.ts',
  ),
  mutation(
    'a stream stirs whenever something happens that its caller may not see',
    'service/src/server/event-stream.ts',
    "(isQuiet ? ':\\n\\n' : '')",
    "':\\n\\n'",
    'service/test/server/change-hints.test.ts',
  ),
  mutation(
    'an overview shows changes of other projects',
    'service/src/core/action-overview.ts',
    "    .$if(!isAdmin(caller), (own) => own.where('projects.label', 'in', projectLabels(caller)))\n",
    '',
    'service/test/core/project-overview.test.ts',
  ),
  mutation(
    'an overview shows headnodes of other projects',
    'service/src/core/headnode-overview.ts',
    "    .$if(!isAdmin(caller), (own) => own.where('projects.label', 'in', projectLabels(caller)))\n",
    '',
    'service/test/core/project-overview.test.ts',
  ),
  mutation(
    'an overview tells tenants the members of a project',
    'service/src/core/project-overview.ts',
    'isAdmin(op.caller) ? grouped',
    'ids.length > 0 ? grouped',
    'service/test/core/project-overview.test.ts',
  ),
  mutation(
    'an overview shows everybody the pending change of a free node',
    'service/src/core/node-overview.ts',
    'isAdmin(caller) || (node.project !== null && mayActFor(caller, node.project))',
    'true',
    'service/test/core/node-overview.test.ts',
  ),
  mutation(
    'an overview calls a node reservable whose port was seen to carry something',
    'service/src/core/node-blocks.ts',
    "...node.secondRecords.map((second) => of('switch', second, secondRecord(second))), ...ports]",
    "...node.secondRecords.map((second) => of('switch', second, secondRecord(second)))]",
    'service/test/core/node-overview.test.ts',
  ),
  mutation(
    'an overview shows tenants where a node is plugged in',
    'service/src/core/node-blocks.ts',
    'isOperator ? (about.port ?? null) : null',
    'about.port ?? null',
    'service/test/core/node-overview.test.ts',
  ),
  mutation(
    'who has a console open is shown to other projects',
    'service/src/core/console.ts',
    'await findManageable(op, args.node);\n  const open',
    "await op.tx.selectFrom('nodes').select(['id', 'label']).where('label', '=', args.node).executeTakeFirstOrThrow();\n  const open",
    'service/test/core/console.test.ts',
  ),
  mutation(
    'two nodes with one OBM address are enabled at once',
    'service/src/core/obm.ts',
    '      await requireOwnAddress(op, current);\n',
    '',
    'service/test/core/obm-address.test.ts',
  ),
  mutation(
    'a switch is registered at the place of another',
    'service/src/core/switches.ts',
    'await requireFreeAddresses(op, { id: 0, label: args.switch }, places);',
    '',
    'service/test/core/switch-identity.test.ts',
    'service/test/core/switch-addresses.test.ts',
  ),
  mutation(
    'a switch is registered where no connection may go',
    'service/src/core/switches.ts',
    '  requirePermitted(dependencies, driver, args);\n',
    '',
    'service/test/server/outbound-addresses.test.ts',
    'service/test/core/switch-addresses.test.ts',
  ),
  mutation(
    'a VLAN is handed out that a port was seen to carry',
    'service/src/core/networks.ts',
    '  await requireUnseenVlan(op, vlan);\n',
    '',
    'service/test/worker/port-trust.test.ts',
  ),
  mutation(
    'a network is deleted that a port was seen to carry',
    'service/src/core/networks.ts',
    '  await requireOnNoOtherPort(op, network);\n',
    '',
    'service/test/worker/port-trust.test.ts',
  ),
  mutation(
    'the last administrator goes',
    'service/src/core/users.ts',
    "    await requireAnotherAdmin(op, user, 'deleted');\n",
    '',
    'service/test/core/users.test.ts',
  ),

  // Rights are read again in the transaction that makes the change
  mutation(
    'rights that were taken away meanwhile count',
    'service/src/core/current-rights.ts',
    '  if (isLess) throw',
    '  if (false) throw',
    'service/test/core/rights-in-transaction.test.ts',
  ),
  mutation(
    'credentials that expired meanwhile count',
    'service/src/core/current-rights.ts',
    'caller.until !== undefined && Date.now() >= caller.until',
    'false',
    'service/test/core/rights-in-transaction.test.ts',
  ),
  mutation(
    'a change is made with the rights of its request',
    'service/src/core/request-context.ts',
    "await callerIn(tx, request, 'lock')",
    'request.caller',
    rights,
  ),
  mutation(
    'whoever takes rights away does not wait for changes that were let in',
    'service/src/core/current-rights.ts',
    'if (!locksRows(tx)) return;',
    'return;',
    rights,
  ),
  mutation(
    'a password that was changed meanwhile counts',
    'service/src/auth/user-record.ts',
    'if (user?.version !== version) throw',
    'if (user === undefined) throw',
    rights,
  ),
  mutation(
    'the power status is told although access was taken away meanwhile',
    'service/src/core/obm.ts',
    `  await context.requireRights();
`,
    '',
    obmRaces,
  ),
  mutation(
    'a stream goes on after access was lost',
    'service/src/server/access-watch.ts',
    'over.abort(lost);',
    'over.signal.throwIfAborted();',
    'service/test/server/lost-access.test.ts',
  ),

  // Reading back
  mutation(
    'DONE without reading the port back',
    'service/src/worker/port-pass.ts',
    'answered.has(task.port) && state && samePortState(state, task.wanted)',
    'answered.has(task.port)',
    engine,
  ),
  mutation(
    'a port that is to carry nothing is not written when it seems empty',
    'service/src/worker/port-pass.ts',
    ' && !samePortState(wanted, emptyPort)',
    '',
    'service/test/worker/port-pass.test.ts',
  ),
  mutation(
    'a port that could not be put back counts as put back',
    'service/src/worker/port-pass.ts',
    ".filter(({ kind }) => kind === 'verified').map(({ task }) => task.portId)",
    '.map(({ task }) => task.portId)',
    'service/test/worker/port-pass.test.ts',
  ),
  mutation(
    'a port of which nobody knows what it carries is not suspect',
    'service/src/worker/decide-endings.ts',
    '.catch(() => new Set<PortTask>());',
    '.catch(() => new Set<PortTask>(failed.map(({ task }) => task)));',
    'service/test/worker/decide-endings.test.ts',
  ),
  mutation(
    'a network that a suspect port may carry can go',
    'service/src/worker/settle-endings.ts',
    "if (action?.kind === 'connect' && action.networkId !== null) {",
    'if (false) {',
    engine,
  ),
  mutation(
    'a touched action counts as untouched',
    'service/src/worker/settle-endings.ts',
    'set({ touched: 1 })',
    'set({ touched: 0 })',
    engine,
  ),
  mutation(
    'a free node is handed out with a port that is not what is recorded',
    'service/src/worker/sweep-ports.ts',
    'const isDrift = seen === null || !samePortState(seen, task.recorded);',
    'const isDrift = seen === null;',
    'service/test/worker/drift.test.ts',
  ),

  // Writes that arrive late
  mutation(
    'a session that broke off leaves no port in doubt',
    'service/src/worker/switch-worker.ts',
    'if (connection.lateMs > 0)\n        await leaveInDoubt',
    'if (false) await leaveInDoubt',
    lateWrites,
  ),
  mutation(
    'every switch counts as one that refuses late writes',
    'service/src/worker/late-writes.ts',
    'refusesLateWrites ? 0 : lateWriteMs',
    '0',
    lateWrites,
  ),
  mutation(
    'ports in doubt hold no VLAN',
    'service/src/worker/late-writes.ts',
    `  for (const task of tasks) await holdNetworks(op, task);
`,
    '',
    lateWrites,
  ),
  mutation(
    'what a process wrote that died is trusted',
    'service/src/worker/switch-worker.ts',
    `      await this.#takeOver();
`,
    '',
    'service/test/worker/killed-lease-holder.test.ts',
  ),
  mutation(
    'a worker that lost its switch does not say what it wrote',
    'service/src/worker/switch-worker.ts',
    `      await this.#recordUnsettled();
`,
    '',
    fences,
  ),
  mutation(
    'an Open vSwitch takes what an earlier session sent',
    'service/src/drivers/switches/ovs/session-fence.ts',
    'if (seen >= permit.number) throw',
    'if (false) throw',
    'service/test/drivers/ovs-sessions.test.ts',
  ),
  mutation(
    'a connection is closed without a reset',
    'base/src/net/reset-socket.ts',
    'socket.resetAndDestroy();',
    'socket.destroy();',
    'service/test/drivers/connection-resets.test.ts',
  ),

  // Secrets
  mutation(
    'a secret in the reason of a refusal is told',
    'service/src/worker/guarded-session.ts',
    '{ ...outcome, reason: redact(outcome.reason, secrets) }',
    'outcome',
    'service/test/worker/device-secrets.test.ts',
  ),
  mutation(
    'a secret in what is not understood of a port is told',
    'service/src/worker/guarded-session.ts',
    '{ ...state, unclear: redact(state.unclear, secrets) }',
    'state',
    'service/test/worker/device-secrets.test.ts',
  ),
  mutation(
    'a secret in an error of a device is told',
    'base/src/guarded-device.ts',
    '      throw redactError(error, secrets);',
    '      throw error;',
    guardedDevice,
  ),
  mutation(
    'a secret in an error of a switch is told',
    'service/src/worker/guarded-session.ts',
    'const secrets = secretsIn(target.config);',
    'const secrets: string[] = [];',
    'service/test/worker/device-secrets.test.ts',
  ),
  mutation(
    'a secret in an error of a BMC is told',
    'obmd/src/core/managed-machine.ts',
    'secrets: this.#secrets }',
    'secrets: [] }',
    'obmd/test/core/machine.test.ts',
  ),
  mutation(
    'a secret in what a daemon says is told',
    'service/src/drivers/obm/obm-responses.ts',
    "redact(fieldIn(text, 'msg') ?? text, secrets)",
    "fieldIn(text, 'msg') ?? text",
    'service/test/whole/secret-leaks.test.ts',
  ),
  mutation(
    'a password of a BMC that a daemon shows is shown on',
    'service/src/drivers/obm/obm-responses.ts',
    '([name, value]) => !secretField.test(name) && ',
    '([, value]) => ',
    'service/test/core/bmcs.test.ts',
  ),
  mutation(
    'a password of a BMC that a daemon repeats is repeated',
    'service/src/drivers/obm/obm-http-client.ts',
    'return admitted(node, reply, secrets);',
    'return admitted(node, reply);',
    'service/test/core/bmcs.test.ts',
  ),
  mutation(
    'a device that hangs is waited for three times',
    'client/src/transport.ts',
    ' && passedMs() < quickMs',
    '',
    'client/test/sdk.test.ts',
  ),
  mutation(
    'a BMC is changed under those who use its node',
    'service/src/core/bmcs.ts',
    '          requireDisabled(node);\n',
    '',
    'service/test/core/bmcs.test.ts',
  ),
  mutation(
    'what a BMC says of itself is told with its password',
    'obmd/src/core/managed-machine.ts',
    'oneLine(redact(text, this.#secrets))',
    'oneLine(text)',
    'obmd/test/bmc-test.test.ts',
  ),
  mutation(
    'a sealed value opens under another name of its key',
    'base/src/secrets/sealing.ts',
    `  if (keyId !== null) decipher.setAAD(Buffer.from(prefix));
`,
    '',
    'base/test/secrets/sealing.test.ts',
  ),

  // Retries
  mutation(
    'the SDK repeats a change after 502',
    'client/src/transport.ts',
    'return request.isSafe && error.status === 502',
    'return error.status === 502',
    'client/test/sdk.test.ts',
  ),
  mutation(
    'the SDK repeats a change that was sent over a line that broke',
    'client/src/transport.ts',
    '(request.isSafe || !error.sent)',
    'true',
    'client/test/sdk.test.ts',
  ),
  mutation(
    'a refused change is tried again',
    'service/src/worker/decide-endings.ts',
    "result.kind === 'mismatch' && mayRetryMismatch",
    'mayRetryMismatch',
    'service/test/worker/decide-endings.test.ts',
  ),

  // No loop without a pause
  mutation(
    'all workers try while the database takes no writes',
    'service/src/worker/engine.ts',
    ', this.#writeBackoff.waitMs)',
    ')',
    pauses,
  ),
  mutation(
    'a worker that did nothing is started again at once',
    'service/src/worker/engine.ts',
    `      else this.#pauseSwitch(target);
`,
    '',
    pauses,
  ),
  mutation(
    'a queue that cannot be read is read again at once',
    'service/src/worker/engine.ts',
    `        await this.#pause(failures.failed());
`,
    '',
    pauses,
  ),
  mutation(
    'an OBM daemon asks for its nodes again at once',
    'obmd/src/core/bmc-ownership.ts',
    'isOurs === null ? this.#failures.failed() :',
    'isOurs === null ? 0 :',
    'obmd/test/core/ownership.test.ts',
  ),
  mutation(
    'a process looks twice at what it changed itself',
    'base/src/db/postgres-engine.ts',
    'ours.has(processId) ?',
    'processId < 0 ?',
    'service/test/db/postgres-connections.test.ts',
  ),
  mutation(
    'a worker keeps the switches of one that has joined',
    'service/src/worker/engine.ts',
    'this.#handOver(division);',
    '',
    'service/test/whole/shared-switches.test.ts',
  ),
  mutation(
    'a worker that stops keeps its seat',
    'service/src/worker/worker-seats.ts',
    'await this.#context.write((op) => releaseLease(op, own.held.lease)).catch(() => undefined);',
    '',
    'service/test/whole/shared-switches.test.ts',
  ),
  mutation(
    'switches are not divided evenly',
    'service/src/worker/divide-switches.ts',
    'left > 0 &&',
    '',
    'service/test/worker/divide-switches.test.ts',
  ),
  mutation(
    'a switch whose worker does nothing is taken by nobody',
    'service/src/worker/engine.ts',
    'since + graceMs - performance.now();',
    'since + 100 * graceMs - performance.now();',
    'service/test/worker/idle-seat.test.ts',
  ),
  mutation(
    'a driver that ignores its signal holds up its caller',
    'base/src/abort.ts',
    'return await unlessAborted(work(signal), signal);',
    'return await work(signal);',
    guardedDevice,
  ),
  mutation(
    'a switch that fails is tried without a pause',
    'service/src/worker/switch-connection.ts',
    'probeAt: probeAt(faults, steadyNow(), config.budgetMs)',
    'probeAt: 0',
    'service/test/worker/breaker.test.ts',
  ),
  mutation(
    'what is done every so often is done again at once',
    'service/src/worker/periodic-task.ts',
    'await sleep(this.#everyMs, undefined, { signal }).catch(() => undefined);',
    'await sleep(0, undefined, { signal }).catch(() => undefined);',
    'service/test/worker/periodic-task.test.ts',
  ),
  mutation(
    'a node that is plugged in elsewhere passes its cleaning',
    'service/src/worker/cleaning-wiring.ts',
    "({ verdict }) => verdict === 'elsewhere')",
    '() => false)',
    'service/test/worker/cleaning-wiring.test.ts',
  ),
  mutation(
    'a node whose wiring is wrong stays on the cleaning network',
    'service/src/core/cleaning-plan.ts',
    " || kind === 'wiring'",
    '',
    'service/test/worker/cleaning-wiring.test.ts',
  ),
  // Webhooks: to those who may see it, in order, again until it is taken, and nothing about nothing
  ...[
    [
      'a webhook that nobody took counts as delivered',
      'core/webhook-sender.ts',
      'if (isTaken(status))',
      'if (status > 0)',
    ],
    [
      'a webhook of a project is sent what administrators see',
      'core/subscription-records.ts',
      'admin: project === null,',
      'admin: true,',
    ],
    [
      'a webhook that was paused is sent',
      'core/deliveries.ts',
      "if (subscription?.state !== 'active') return null;",
      'if (subscription === undefined) return null;',
    ],
    [
      'a webhook that nobody took is sent again at once',
      'core/deliveries.ts',
      'retry_at: steadyNow() + pauseAfter(attempts, growth),',
      'retry_at: 0,',
    ],
    [
      'dead letters cause dead letters',
      'core/deliveries.ts',
      "if (events.every(({ type }) => type === 'subscription_dead_letters')) return;",
      '',
    ],
    [
      'old events are deleted that a webhook waits for',
      'worker/history-pruning.ts',
      'delivered === null || id <= delivered ||',
      'delivered === null || id > 0 ||',
    ],
    ['one project takes the places of all webhooks', 'worker/webhook-deliveries.ts', 'ofSame < places.project && ', ''],
  ].map(([what, file, text, instead]) =>
    mutation(
      what,
      `service/src/${file}`,
      text,
      instead,
      'service/test/worker/webhooks.test.ts',
      'service/test/worker/webhook-safety.test.ts',
    ),
  ),
  mutation(
    'a notification that cannot be read is tried again at once',
    'service/src/worker/maintenance-notifier.ts',
    'await sleep(failures.failed(), undefined, { signal }).catch(() => undefined);',
    'await sleep(0, undefined, { signal }).catch(() => undefined);',
    'service/test/worker/maintenance.test.ts',
  ),
  mutation(
    'a notification that nobody took is sent again at once',
    'service/src/worker/maintenance-notifier.ts',
    'retry_at: steadyNow() + pause',
    'retry_at: steadyNow()',
    'service/test/worker/maintenance.test.ts',
  ),
  mutation(
    'a machine that shuts down is asked without a pause',
    'obmd/src/core/soft-cycles.ts',
    'await pause(Math.min(pollMs, Math.max(1, until - steadyNow())), stop);',
    'await pause(0, stop);',
    'obmd/test/power-cycle.test.ts',
  ),
  mutation(
    'what a restart of the daemon interrupted counts as done',
    'obmd/src/core/recorded-work.ts',
    '    if (stop.aborted) return;\n',
    '',
    'obmd/test/power-cycle.test.ts',
    'obmd/test/next-boot.test.ts',
  ),
  mutation(
    'what another caller replaced goes on',
    'obmd/src/core/recorded-work.ts',
    `    if (stop === undefined) return;
    stop.abort();`,
    '    if (stop === undefined) return;',
    'obmd/test/power-cycle.test.ts',
    'obmd/test/next-boot.test.ts',
  ),

  // What a change costs
  mutation(
    'the worker of a switch is not woken by its work',
    'service/src/worker/engine.ts',
    `        else this.#due.notify(leaseOf(target));
`,
    '',
    wakes,
  ),
  mutation(
    'every worker with an open session is woken by every change',
    'service/src/worker/engine.ts',
    'this.#due.listen(leaseOf(target))',
    "context.listen('actions')",
    wakes,
  ),
  mutation(
    'what took its share of the time is repeated at once',
    'base/src/time-share.ts',
    'this.#limits.atOnceMs / this.#limits.share - performance.now()',
    'performance.now() - performance.now()',
    'base/test/time-share.test.ts',
  ),

  // What a tenant can make others wait for
  mutation(
    'a stream sends what was read while its caller lost access',
    'service/src/server/event-stream.ts',
    "page.frames !== '' && permissionsKey(",
    "page.frames === '?' && permissionsKey(",
    'service/test/server/event-streams.test.ts',
  ),
  mutation(
    'streams of the same audience do not share a page',
    'service/src/server/event-feed.ts',
    `    if (known) return known;
`,
    '',
    'service/test/server/event-streams.test.ts',
  ),
  mutation(
    'a stream whose reader takes nothing goes on',
    'service/src/server/event-stream.ts',
    'response.destroy();',
    'line.flushHeaders();',
    'service/test/server/event-streams.test.ts',
  ),
  mutation(
    'anybody sees the metrics',
    'base/src/http/metrics-access.ts',
    "if (who !== 'loopback') return who === 'anyone';",
    "if (who !== 'loopback') return true;",
    'service/test/server/device-limit-calls.test.ts',
  ),
  mutation(
    'whoever comes through a proxy sees the metrics',
    'base/src/http/metrics-access.ts',
    ' && !isForwarded(headers)',
    '',
    'service/test/server/device-limit-calls.test.ts',
  ),
  mutation(
    'a project has devices do as much as it likes',
    'service/src/core/device-calls.ts',
    `    if (seconds === 0) return;
`,
    `    return;
`,
    'service/test/server/device-limits.test.ts',
  ),
  mutation(
    'a tenant has a switch swept that was just swept',
    'service/src/core/drift.ts',
    '(probe_at > now || isJustSwept(swept_at))',
    '(probe_at > now)',
    'service/test/server/device-limit-calls.test.ts',
  ),
  mutation(
    'a tenant has a switch tried that is left alone until its next probe',
    'service/src/core/drift.ts',
    '(probe_at > now || isJustSwept(swept_at))',
    'isJustSwept(swept_at)',
    'service/test/server/device-limit-calls.test.ts',
  ),
  mutation(
    'every tenant who asks has a sweep of their own',
    'service/src/core/drift.ts',
    "if (sweep_wanted - sweep_answered > (requester === 'operator' ? 1 : 0)) numbers.set(id, sweep_wanted);",
    'if (false) numbers.set(id, sweep_wanted);',
    'service/test/server/device-limit-calls.test.ts',
  ),
  mutation(
    'a project has as many calls under way as it likes',
    'service/src/core/device-calls.ts',
    'if (this.#turns === null || project',
    'if (true || project',
    'service/test/server/device-limits.test.ts',
  ),
  mutation(
    'those who ask a device the same do not share the answer',
    'service/src/core/device-calls.ts',
    'this.#answers.run(`${whose} ${question}`',
    'this.#answers.run(`${whose} ${question} ${Math.random()}`',
    'service/test/server/device-limit-calls.test.ts',
    'service/test/server/device-limits.test.ts',
  ),

  // Full disks and clocks
  mutation(
    'a full disk is an error of ours',
    'base/src/db/sqlite-fault.ts',
    "  ['SQLITE_FULL', 'full'],\n",
    '',
    'service/test/db/full-disk.test.ts',
  ),
  mutation(
    'what cannot be stored is tried again without a pause',
    'base/src/backoff.ts',
    'return pauseAfter(this.#failures - 1, this.#growth);',
    'return 0;',
    'service/test/db/full-disk.test.ts',
    pauses,
  ),
  mutation(
    'a clock that is set back keeps a lease',
    'base/src/db/lease-watch.ts',
    'const longestWait = 3;',
    'const longestWait = 3_000;',
    'service/test/whole/clock-changes.test.ts',
  ),

  // Logins
  mutation(
    'guesses of one user from one address are not slowed down',
    'service/src/auth/throttle.ts',
    'const own = this.#pairs.pauseMs(pair, now);',
    'const own = 0;',
    throttle,
  ),
  mutation(
    'guesses from one address are not slowed down over users',
    'service/src/auth/throttle.ts',
    'this.#addresses.pauseMs(from, now), ',
    '',
    'service/test/auth/throttle.test.ts',
    throttle,
  ),
  mutation(
    'guesses of one user are not slowed down over addresses',
    'service/src/auth/throttle.ts',
    'this.#hasFailed(attempt, now) ? this.#users.pauseMs(user, now) : 0',
    '0',
    'service/test/auth/throttle.test.ts',
    throttle,
  ),
  mutation(
    'what was right before helps whoever guesses at great speed',
    'service/src/auth/throttle.ts',
    'return this.#refusals.isUsedUp(pair, now) && this.#good.delete(pair);',
    'return false;',
    'service/test/auth/throttle.test.ts',
    throttle,
  ),
  mutation(
    'any number of passwords is hashed at once',
    'service/src/auth/hash-gate.ts',
    'if (this.#running >= atOnce) await',
    'if (false) await',
    'service/test/auth/hash-gate.test.ts',
  ),
  mutation(
    'an unknown user is refused without the time that a hash takes',
    'service/src/auth/password-check.ts',
    'const hash = user?.password_hash ?? (await nobodysHash);',
    'if (user === null) return null;\n    const hash = user.password_hash ?? (await nobodysHash);',
    'service/test/auth/unknown-user.test.ts',
  ),
  mutation(
    'remembered credentials outlive a change to users',
    'service/src/auth/credential-cache.ts',
    'if (entry?.epoch !== this.#epoch) return null;',
    'if (!entry) return null;',
    'service/test/auth/authentication.test.ts',
    'service/test/whole/races-exclusion.test.ts',
  ),
  mutation(
    'a remembered credential outlives a new password',
    'service/src/auth/database-backend.ts',
    ' && known.version === user.version',
    '',
    'service/test/auth/authentication.test.ts',
    'service/test/auth/user-password.test.ts',
  ),
  mutation(
    'a token outlives its time',
    'service/src/auth/token-backend.ts',
    `
    .where('api_tokens.expires_at', '>', now)`,
    '',
    'service/test/auth/tokens.test.ts',
  ),
  mutation(
    'a token for one project has all rights of its owner',
    'service/src/auth/token-backend.ts',
    '...(limit === null ? {} : { admin: false, projects: new Set([limit]) }),',
    '',
    made,
  ),
  mutation(
    'a token has rights that its maker did not have',
    'service/src/auth/token-backend.ts',
    'const caller = within(owner, row);',
    'const caller = owner;',
    made,
    'service/test/auth/identities.test.ts',
  ),
  mutation(
    'a cookie counts on pages of others',
    'service/src/auth/session-backend.ts',
    `      requireSameOrigin(credentials);
`,
    '',
    'service/test/auth/sessions.test.ts',
    'service/test/auth/cross-origin-pages.test.ts',
  ),
  mutation(
    'a person counts whom nobody has vouched for lately',
    'service/src/auth/credential-owner.ts',
    'if (now >= until || until - now > 2 * vouchedMs) {',
    'if (false) {',
    'service/test/auth/credential-owner.test.ts',
  ),
  mutation(
    'people of a backend count that is not in use any more',
    'service/src/auth/credential-owner.ts',
    'if (!backends.includes(backend)) throw',
    'if (false) throw',
    'service/test/auth/credential-owner.test.ts',
  ),

  // The OBM daemon
  mutation(
    'any token is good for a node',
    'obmd/src/core/node-registry.ts',
    ' || !matches(token, grant.hash)',
    '',
    'obmd/test/registered-nodes.test.ts',
    'obmd/test/orders.test.ts',
  ),
  mutation(
    'a token is given out before what was asked under the old one has ended',
    'obmd/src/core/managed-machine.ts',
    `    before?.end();
`,
    '',
    'obmd/test/queue.test.ts',
    'obmd/test/power-cycle.test.ts',
  ),
  mutation(
    'the next tenant reads what was on the console',
    'obmd/src/core/console-hub.ts',
    `    this.#replay.wipe();
`,
    '',
    'obmd/test/console-stream.test.ts',
    'obmd/test/console-clients.test.ts',
  ),
  mutation(
    'a BMC is called by a process that may have lost its nodes',
    'obmd/src/core/managed-machine.ts',
    `          this.#permit.check();
          return call(signal);`,
    '          return call(signal);',
    'obmd/test/core/machine.test.ts',
  ),
  mutation(
    'a process that slept works with nodes that another has by now',
    'obmd/src/core/bmc-ownership.ts',
    'if (!this.isOurs) throw',
    'if (!this.#held) throw',
    'obmd/test/core/ownership.test.ts',
  ),
  mutation(
    'a process stores what another one works with from memory',
    'obmd/src/core/bmc-ownership.ts',
    'if (lease === null || !(await ownerTable.isHeld(tx, lease))) throw',
    'if (false) throw',
    standby,
  ),
  mutation(
    'a change begun under an earlier hold of the same process is stored',
    'obmd/src/core/bmc-ownership.ts',
    '`${this.#process} ${(this.#holds += 1)}`',
    '`${this.#process} 1`',
    'obmd/test/core/ownership.test.ts',
  ),
  mutation(
    'a BMC does two things at once',
    'obmd/src/core/call-queue.ts',
    'const turn = this.#last.then(async () => {',
    'const turn = Promise.resolve().then(async () => {',
    'obmd/test/queue.test.ts',
  ),

  // Readings are never narrower than the truth
  mutation(
    'a line that is not understood is left out',
    'service/src/drivers/switches/cli/known-lines.ts',
    'else if (isNested || !matches(known.plain, text)) strange.push(text);',
    '',
    narrow,
    'service/test/drivers/port-constructs.test.ts',
  ),
  mutation(
    'a line inside another one is read as one of the port',
    'service/src/drivers/switches/cli/known-lines.ts',
    'if (!isNested && known.read.test(text))',
    'if (known.read.test(text))',
    narrow,
  ),
  mutation(
    'a log message ends the section of a port',
    'service/src/drivers/switches/cli/config-sections.ts',
    '    else throw new UnusableAnswer(line);',
    "    else at = 'outside';",
    narrow,
  ),
  mutation(
    'an element that is not understood is left out',
    'service/src/drivers/switches/known-elements.ts',
    'if (known === undefined || isRepeated) return [words(child)];',
    'if (known === undefined || isRepeated) return [];',
    'service/test/drivers/junos-readings.test.ts',
    'service/test/drivers/brocade.test.ts',
  ),
  mutation(
    'a port that seems empty is not told to carry nothing',
    'service/src/drivers/switches/cli/apply-ports.ts',
    'carriedBy(wanted).length > 0 && isSame(was, wanted)',
    'isSame(was, wanted)',
    narrow,
    'service/test/drivers/port-constructs.test.ts',
    'service/test/drivers/dell-os10.test.ts',
  ),
  mutation(
    'a lost mode of configuration goes unnoticed',
    'service/src/drivers/switches/cli/apply-ports.ts',
    'if (dialect.modes && !dialect.modes.port.test(prompt)) throw',
    'if (false) throw',
    'service/test/drivers/cisco-ios.test.ts',
  ),

  // A terminal on a console
  ...[
    ['a console hears no signal', 'attach-console.ts', "  signal.addEventListener('abort', leave);\n", ''],
    ['a console leaves colours behind', 'attach-console.ts', '    screen.write(afterConsole);\n', ''],
    [
      'keys go to a console that is read only',
      'attach-console.ts',
      'isReadOnly || bytes.length === 0',
      'bytes.length === 0',
    ],
    [
      'a console is taken before it is known that its log can be written',
      'console-log.ts',
      'throw new UsageError(unwritable(name, error));',
      "return new ConsoleLog(await open('/dev/full', 'a'), name);",
    ],
    ['a log has a gap', 'console-log.ts', 'return (this.#failure ??= unwritable(this.#name, error));', 'return null;'],
    [
      'a console is shown without its last words',
      'console-connection.ts',
      'void taking.then(() => resolve(',
      'void Promise.resolve().then(() => resolve(',
    ],
    [
      'a console waits for a stream without end',
      'console-connection.ts',
      'if (status === 200) return',
      'if (status === 0) return',
    ],
    ['a console has no time limit to open', 'console-connection.ts', 'AbortSignal.any([signal, limit])', 'signal'],
  ].map(([promise, file, text, replacement]) =>
    mutation(promise, `client/src/cli/console/${file}`, text, replacement, 'client/test/terminal-console.test.ts'),
  ),
  mutation(
    'a command leaves the terminal raw after SIGHUP',
    'client/src/cli/main.ts',
    "'SIGTERM', 'SIGHUP'] as const",
    "'SIGTERM'] as const",
    'client/test/terminal-console.test.ts',
  ),
  mutation(
    'a tilde in the middle of a line closes a console',
    'client/src/cli/console/escape-keys.ts',
    'this.#isLineStart && key === tilde',
    'key === tilde',
    'client/test/escape-keys.test.ts',
  ),

  // Where connections may go
  mutation(
    'an address that is refused is connected to',
    'base/src/http/outbound.ts',
    'if (address === null || this.#allow.permits(host, host)) return null;',
    'return null;',
    'base/test/http/outbound.test.ts',
  ),
  mutation(
    'a name that is at a refused address is connected to',
    'base/src/http/outbound.ts',
    'found.filter(({ address }) => this.#allow.permits(host, address))',
    'found',
    'base/test/http/outbound.test.ts',
  ),

  // Nodes change hands: clean, once, in order, within quotas, and counted
  mutation(
    'a node is given away before it has passed its gate',
    'service/src/core/node-moves.ts',
    "  await requireGate(op, node, 'cleaning', 'maintenance', 'quarantined');\n",
    '',
    'service/test/whole/hand-over-storm.test.ts',
  ),
  mutation(
    'a node that leaves a project keeps no gate shut',
    'service/src/core/free-nodes.ts',
    'nodes.gate is null',
    '1 = 1',
    'service/test/worker/cleaning.test.ts',
  ),
  mutation(
    'ports count as empty by a reading of before',
    'service/src/worker/cleaning-ports.ts',
    'port.read_in_sweep === null || port.read_in_sweep < wanted',
    'port.read_in_sweep === null',
    'service/test/worker/cleaning.test.ts',
    'service/test/worker/cleaning-steps.test.ts',
  ),
  mutation(
    'a project gets one node more than its quota',
    'service/src/core/quotas.ts',
    'most !== null && used >= most',
    'most !== null && used > most',
    'service/test/core/quotas.test.ts',
  ),
  mutation(
    'a later claim gets what an earlier one waits for',
    'service/src/core/claim-line.ts',
    'if (await keepsNodes(op, claim)) await pool',
    'if (!(await keepsNodes(op, claim))) await pool',
    'service/test/core/waiting-claims.test.ts',
  ),
  mutation(
    'a claim that a quota kept back never has its place in line again',
    'service/src/core/claim-line.ts',
    'return claim.reason === null || hasRoomFor(op, project, claim.wanted);',
    'return claim.reason === null;',
    'service/test/core/waiting-claims.test.ts',
  ),
  mutation(
    'a nic is connected while its node is being given back',
    'service/src/core/attachments.ts',
    '  await released;\n',
    '  await released.catch(() => null);\n',
    'service/test/core/releases.test.ts',
  ),
  mutation(
    'a node that leaves a project is counted for it for ever',
    'service/src/core/usage-ledger.ts',
    '    await endOpen.send(tx, { node: node.label });\n',
    '',
    'service/test/core/usage-ledger.test.ts',
    'service/test/core/usage.test.ts',
  ),
];
