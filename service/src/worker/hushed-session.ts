import { hush, withoutSecrets } from '@corral/base/secrets/hush';
import type { PortConfig, SwitchSession } from '../drivers/switches/contract.ts';

/** Fields of switch_register that are nobody's business. */
const secretField = /pass|secret|token|key|credential/i;

/** The secrets among a switch's fields. */
export const secretsIn = (config: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(config).flatMap(([name, value]) => (secretField.test(name) && typeof value === 'string' ? value : []));

/** A session of which nothing that goes wrong tells a secret, even if the switch repeats what it was sent. */
export const hushedSession = (session: SwitchSession, secrets: readonly string[]): SwitchSession => {
  const quietly = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw hush(error, secrets);
    });
  const told = (state: PortConfig): PortConfig =>
    state.unclear === undefined ? state : { ...state, unclear: withoutSecrets(state.unclear, secrets) };
  const { readAll, drained, save, identity } = {
    identity: session.identity?.bind(session),
    readAll: session.readAll?.bind(session),
    drained: session.drained?.bind(session),
    save: session.save?.bind(session),
  };
  return {
    apply: async (ports, signal) =>
      (await quietly(session.apply(ports, signal))).map((outcome) =>
        outcome.applied ? outcome : { ...outcome, reason: withoutSecrets(outcome.reason, secrets) },
      ),
    read: async (ports, signal) => (await quietly(session.read(ports, signal))).map(told),
    ...(readAll ? { readAll: async (signal) => (await quietly(readAll(signal))).map(told) } : {}),
    ...(drained ? { drained: (signal) => quietly(drained(signal)) } : {}),
    ...(identity ? { identity: (signal) => quietly(identity(signal)) } : {}),
    ...(save ? { save: (signal) => quietly(save(signal)) } : {}),
    close: () => session.close(),
  };
};
