import { oneLine } from '../device-text.ts';
import { childOf, type Element, findAll, textAt } from '@corral/base/xml';

/** One complaint of a device (RFC 6241, section 4.3). */
export interface RpcError {
  readonly severity: 'error' | 'warning';
  readonly tag: string;
  readonly message: string;
  readonly path: string;
  readonly badElement: string;
}

/** The complaints in a reply. Devices also put them inside their own results, so all of the reply is searched. */
export const rpcErrorsIn = (reply: Element): readonly RpcError[] => findAll(reply, 'rpc-error').map(rpcErrorOf);

const rpcErrorOf = (element: Element): RpcError => {
  const text = (...path: string[]) => oneLine(childOf(element, ...path)?.text ?? '');
  return {
    // Every error that is not marked as a warning counts.
    severity: text('error-severity') === 'warning' ? 'warning' : 'error',
    tag: text('error-tag'),
    message: text('error-message'),
    path: text('error-path'),
    badElement: text('error-info', 'bad-element'),
  };
};

/** A complaint in the device's own words. */
export const wordsOf = ({ message, tag, path, badElement }: RpcError): string => {
  const where = [path, badElement].filter((part) => part !== '').join(' ');
  return `${message || tag || 'no reason given'}${where === '' ? '' : ` (${where})`}`;
};

/** A device that understood, and said no. */
export class RpcRefused extends Error {
  readonly errors: readonly RpcError[];

  constructor(operation: string, errors: readonly RpcError[]) {
    super(`the device refuses ${operation}: ${errors.map(wordsOf).join('; ')}`);
    this.errors = errors;
  }
}

/** Does the device say that it has no such statement? */
export const isUnknownTo = (error: unknown, statement: string): boolean =>
  error instanceof RpcRefused &&
  error.errors.some(({ badElement, message }) => badElement === statement && /syntax error|unknown/i.test(message));

const successes: readonly string[] = ['commit-success', 'commit-check-success', 'load-success'];

/**
 * A reply that says `ok`, or that every part of the device has done it: each member of a chassis answers separately.
 */
export const requireDone = (reply: Element): void => {
  const members = findAll(reply, 'routing-engine').map((member) => ({
    name: textAt(member, 'name') ?? '',
    isDone: successes.some((success) => childOf(member, success)),
  }));
  const failed = members.find(({ name }) => !members.some((other) => other.name === name && other.isDone));
  if (failed) throw new Error(`the device does not confirm that ${failed.name || 'a part of it'} has done it`);
  if (members.length === 0 && !childOf(reply, 'ok'))
    throw new Error(`the device does not confirm the operation: <${reply.children[0]?.name ?? ''}>`);
};
