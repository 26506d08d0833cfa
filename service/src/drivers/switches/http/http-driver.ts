import type { TSchema } from '@sinclair/typebox';
import type { SessionLimits, SwitchDriver, SwitchSession } from '../switch-contract.ts';
import { placesOfUrl } from '../switch-addresses.ts';
import { type HttpDefaults, httpFields, type HttpTarget, httpTargetFrom, textField } from './http-fields.ts';
import { InterfaceType } from './http-port-names.ts';
import { DryHttp } from './dry-http.ts';
import { type SwitchHttp, SwitchHttpClient } from './switch-http-client.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A session that finds out by a first question whether anybody is there, and lets us in. */
interface ProbedSession extends SwitchSession {
  probe(signal: AbortSignal): Promise<void>;
}

interface HttpDriver {
  readonly defaults: HttpDefaults;
  /** Fields beside those that every switch behind HTTP takes. */
  readonly fields: Readonly<Record<string, TSchema>>;
  readonly session: (http: SwitchHttp, fields: Fields, label: string) => ProbedSession;
  /** Which of several things behind the address is meant. */
  readonly part?: (fields: Fields) => string;
}

/** What the drivers of switches behind HTTP have in common. */
export const httpDriver = ({
  defaults,
  fields,
  session,
  part = () => '',
}: HttpDriver): Pick<SwitchDriver, 'config' | 'places' | 'hosts' | 'open' | 'openDry'> => ({
  config: httpFields(fields),
  places: (config) => placesOfUrl(httpTargetFrom(config, defaults).origin, part(config)),
  hosts: (config) => [new URL(httpTargetFrom(config, defaults).origin).hostname],
  open: ({ label, config, permit, outbound }, signal) =>
    openHttpSession(httpTargetFrom(config, defaults), (http) => session(http, config, label), signal, {
      permit,
      outbound,
    }),
  openDry: ({ label, config, permit, outbound }, held, signal) =>
    openHttpSession(
      httpTargetFrom(config, defaults),
      (http) => session(new DryHttp(http, held), config, label),
      signal,
      { permit, outbound },
    ),
});

/**
 * The same where the fields name the kind of the ports. A record is for the ports of one kind: another for another
 * kind of the same switch has none in common with it.
 */
export const httpDriverOfType = (
  defaults: HttpDefaults,
  session: (http: SwitchHttp, interfaceType: string) => ProbedSession,
): ReturnType<typeof httpDriver> => {
  const typeOf = (fields: Fields): string => textField(fields, 'interface_type') ?? '';
  return httpDriver({
    defaults,
    fields: { interface_type: InterfaceType },
    session: (http, fields) => session(http, typeOf(fields)),
    part: (fields) => typeOf(fields).toLowerCase(),
  });
};

/** Opens a line and a session on it; if the switch does not answer the first question, the line is closed again. */
const openHttpSession = async (
  target: HttpTarget,
  sessionOn: (http: SwitchHttp) => ProbedSession,
  signal: AbortSignal,
  limits: SessionLimits,
): Promise<SwitchSession> => {
  const http = new SwitchHttpClient(target, limits);
  try {
    const session = sessionOn(http);
    await session.probe(signal);
    return session;
  } catch (error) {
    await http.close();
    throw error;
  }
};
