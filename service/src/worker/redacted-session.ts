import { redactError, redact } from '@corral/base/secrets/redact';
import type { PortConfig, SwitchSession } from '../drivers/switches/switch-contract.ts';

/** Fields of switch_register that are nobody's business. */
const secretField = /pass|secret|token|key|credential/i;

/** The secrets among a switch's fields. */
export const secretsIn = (config: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(config).flatMap(([name, value]) => (secretField.test(name) && typeof value === 'string' ? value : []));

/** A session of which nothing that goes wrong tells a secret, even if the switch repeats what it was sent. */
export const redactedSession = (session: SwitchSession, secrets: readonly string[]): SwitchSession => {
  const redacting = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw redactError(error, secrets);
    });
  const told = (state: PortConfig): PortConfig =>
    state.unclear === undefined ? state : { ...state, unclear: redact(state.unclear, secrets) };
  const { readAll, drained, save, identity } = {
    identity: session.identity?.bind(session),
    readAll: session.readAll?.bind(session),
    drained: session.drained?.bind(session),
    save: session.save?.bind(session),
  };
  return {
    apply: async (ports, signal) =>
      (await redacting(session.apply(ports, signal))).map((outcome) =>
        outcome.applied ? outcome : { ...outcome, reason: redact(outcome.reason, secrets) },
      ),
    read: async (ports, signal) => (await redacting(session.read(ports, signal))).map(told),
    ...(readAll ? { readAll: async (signal) => (await redacting(readAll(signal))).map(told) } : {}),
    ...(drained ? { drained: (signal) => redacting(drained(signal)) } : {}),
    ...(identity ? { identity: (signal) => redacting(identity(signal)) } : {}),
    ...(save ? { save: (signal) => redacting(save(signal)) } : {}),
    close: () => session.close(),
  };
};
