import { expect, it } from 'vitest';
import type { RequestContext, ReadOp, WriteOp } from '../../src/core/request-context.ts';
import { driverOf } from '../../src/core/switches.ts';
import { consoleRoute, route } from '../../src/server/route.ts';

/*
 * Code that must not compile. `npm run check:test-types` compiles this file, and fails if a line below a directive is right.
 */

it('code inside a transaction cannot reach a device', () => {
  const inside = (op: ReadOp | WriteOp): readonly unknown[] => [
    // @ts-expect-error: OBM daemons and the hypervisor
    op.dependencies.devices,
    // @ts-expect-error: serial consoles
    op.dependencies.consoles,
    // @ts-expect-error: a session with a switch
    driverOf(op.dependencies, 'mock').open,
    // @ts-expect-error: the resolver of host names
    driverOf(op.dependencies, 'mock').places,
    // @ts-expect-error: hashing takes long
    op.dependencies.checkPassword,
    // @ts-expect-error: a file on the disk
    op.dependencies.firstPassword,
    // @ts-expect-error: another transaction
    op.write,
    // What it may use.
    driverOf(op.dependencies, 'mock').portName('gi1/0/1'),
    op.dependencies.vault.seal('secret'),
  ];
  expect(inside).toBeTypeOf('function');
});

it('a request reaches devices only by the calls that are counted and declared', () => {
  // @ts-expect-error: past `devices`, which asks whether the route says so
  const between = (context: RequestContext): unknown => context.dependencies.devices;
  expect(between).toBeTypeOf('function');
});

it('a route cannot promise one kind of reply and give another', () => {
  const description = { endpoint: 'GET /', summary: '', access: 'user', auth: '' } as const;
  const routes = [
    // @ts-expect-error: a stream says who may still have it
    () => consoleRoute({ ...description, name: 'without', handle: () => Promise.reject(new Error()) }),
    () =>
      // @ts-expect-error: nothing is kept of a call that answers nothing
      route({ ...description, name: 'empty', cache: 'everyone', handle: () => Promise.resolve() }),
  ];
  expect(routes).toHaveLength(2);
});
