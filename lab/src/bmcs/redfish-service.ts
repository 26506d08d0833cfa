import { isDeepStrictEqual } from 'node:util';
import type { RedfishFlavour } from './redfish-flavours.ts';
import type { RedfishMachine } from './redfish-machine.ts';
import * as documents from './redfish-resources.ts';
import type { RedfishSessions } from './redfish-sessions.ts';

/** A request, as far as it matters. */
export interface RedfishQuestion {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly token: string | undefined;
  readonly ifMatch: string | undefined;
  readonly body: unknown;
}

/** What it is answered with. */
export interface RedfishTold {
  readonly status: number;
  readonly document?: Record<string, unknown>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a service is made of. */
export interface RedfishWorld {
  readonly flavour: RedfishFlavour;
  readonly machines: readonly RedfishMachine[];
  readonly sessions: RedfishSessions;
  readonly sessionSeconds: number;
  readonly hasSessions: boolean;
  readonly user: string;
  readonly password: string;
}

const refuse = (status: number, message: string, text: string): RedfishTold => ({
  status,
  document: documents.errorDocument(message, text),
});
const missing = refuse(404, 'ResourceMissingAtURI', 'There is no resource at this URI.');

/** Answers requests as a Redfish service of some vendor does. */
export class RedfishService {
  readonly #world: RedfishWorld;
  readonly #at: documents.RedfishPaths;
  #tasks = 0;

  constructor(world: RedfishWorld) {
    this.#world = world;
    this.#at = new documents.RedfishPaths(world.flavour);
  }

  answer(question: RedfishQuestion): RedfishTold {
    const { method, path } = question;
    const { flavour, hasSessions } = this.#world;
    if (path === '/redfish' || path === '/redfish/') return { status: 200, document: { v1: '/redfish/v1/' } };
    if (flavour.slashes && !path.endsWith('/')) return { status: 308, headers: { location: `${path}/` } };
    const parts = path
      .replace(/^\/redfish\/v1\/?/, '')
      .replace(/\/$/, '')
      .split('/');
    if (!path.startsWith('/redfish/v1')) return missing;
    if (parts[0] === '')
      return method === 'GET'
        ? { status: 200, document: documents.rootDocument(this.#at, flavour, hasSessions) }
        : refuse(405, 'OperationNotAllowed', 'The root is read only.');
    const isLogin = method === 'POST' && parts.join('/') === 'SessionService/Sessions';
    if (isLogin && hasSessions) return this.#logIn(question.body);
    if (!this.#isKnown(question)) return refuse(401, 'NoValidSession', 'There is no valid session.');
    switch (parts[0]) {
      case 'SessionService':
        return hasSessions ? this.#sessionService(method, parts.slice(1)) : missing;
      case 'AccountService':
        return this.#accountService(parts.slice(1));
      case 'Systems':
        return this.#systems(question, parts.slice(1));
      case 'Managers':
        return this.#managers(parts.slice(1));
      case 'TaskMonitors':
        return parts[1] === undefined ? missing : { status: 200, document: documents.taskDocument(path, 'Completed') };
      default:
        return missing;
    }
  }

  #isKnown({ authorization, token }: RedfishQuestion): boolean {
    if (token !== undefined) return this.#world.sessions.use(token);
    const { user, password } = this.#world;
    return authorization === `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }

  #logIn(body: unknown): RedfishTold {
    const { user, password, sessions } = this.#world;
    if (!isDeepStrictEqual(body, { UserName: user, Password: password }))
      return refuse(401, 'NoValidSession', 'There is no valid session established with the implementation.');
    const session = sessions.create();
    if (session === null) return refuse(503, 'SessionLimitExceeded', 'There are too many sessions.');
    return {
      status: 201,
      document: documents.sessionDocument(this.#at, session.id, user),
      headers: { 'x-auth-token': session.token, location: this.#at.of('SessionService', 'Sessions', session.id) },
    };
  }

  #sessionService(method: string, [collection, id]: readonly string[]): RedfishTold {
    const { sessions, sessionSeconds, user } = this.#world;
    if (collection === undefined)
      return { status: 200, document: documents.sessionServiceDocument(this.#at, sessionSeconds) };
    if (id === undefined) {
      const members = sessions.ids.map((one) => this.#at.of('SessionService', 'Sessions', one));
      const at = this.#at.of('SessionService', 'Sessions');
      return { status: 200, document: documents.collectionDocument(at, 'Session', members) };
    }
    if (method === 'DELETE') return sessions.end(id) ? { status: 204 } : missing;
    return sessions.ids.includes(id)
      ? { status: 200, document: documents.sessionDocument(this.#at, id, user) }
      : missing;
  }

  /** Its administrator, and our user. */
  #accountService([collection, id]: readonly string[]): RedfishTold {
    const accounts = new Map([
      ['1', ['root', 'Administrator']],
      ['2', [this.#world.user, 'Operator']],
    ] as const);
    if (collection === undefined) return { status: 200, document: documents.accountServiceDocument(this.#at) };
    if (id === undefined) {
      const members = [...accounts.keys()].map((one) => this.#at.of('AccountService', 'Accounts', one));
      const at = this.#at.of('AccountService', 'Accounts');
      return { status: 200, document: documents.collectionDocument(at, 'ManagerAccount', members) };
    }
    const [user, role] = (id === '1' || id === '2' ? accounts.get(id) : null) ?? [null, null];
    return user === null ? missing : { status: 200, document: documents.accountDocument(this.#at, id, user, role) };
  }

  #managers([id]: readonly string[]): RedfishTold {
    const { managerId } = this.#world.flavour;
    const members = [this.#at.of('Managers', managerId)];
    if (id === undefined)
      return { status: 200, document: documents.collectionDocument(this.#at.of('Managers'), 'Manager', members) };
    return id === managerId ? { status: 200, document: documents.managerDocument(this.#at, id) } : missing;
  }

  #systems(question: RedfishQuestion, [id, part, action]: readonly string[]): RedfishTold {
    const { flavour, machines } = this.#world;
    if (id === undefined) {
      const members = machines.map((machine) => this.#at.of('Systems', machine.id));
      const at = this.#at.of('Systems');
      return { status: 200, document: documents.collectionDocument(at, 'ComputerSystem', members) };
    }
    const machine = machines.find((one) => one.id === id);
    if (machine === undefined) return missing;
    if (part === undefined || (part === 'SD' && flavour.bootIn === 'settings'))
      return this.#system(machine, question, part === undefined ? 'system' : 'settings');
    if (part === 'ResetActionInfo')
      return { status: 200, document: documents.actionInfoDocument(question.path, flavour) };
    if (part === 'Actions' && action === 'ComputerSystem.Reset') return this.#reset(machine, question);
    return missing;
  }

  #system(machine: RedfishMachine, question: RedfishQuestion, resource: 'system' | 'settings'): RedfishTold {
    const { flavour } = this.#world;
    const show = resource === 'system' ? documents.systemDocument : documents.settingsDocument;
    const told = (): RedfishTold => {
      const etag = documents.etagOf(machine, flavour);
      const headers = etag === undefined ? {} : { etag };
      return { status: 200, document: show(this.#at, machine, flavour), headers };
    };
    if (question.method === 'GET') return told();
    if (question.method !== 'PATCH') return refuse(405, 'OperationNotAllowed', 'This cannot be done to a system.');
    const { ifMatch } = question;
    if (ifMatch === undefined && flavour.needsIfMatch)
      return refuse(428, 'PreconditionRequired', 'If-Match has to be given.');
    if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== documents.etagOf(machine, flavour))
      return refuse(412, 'PreconditionFailed', 'The ETag does not match.');
    if (flavour.bootIn !== resource)
      return refuse(400, 'OperationSupportedInFutureStateURI', 'Boot is changed in the settings resource.');
    const refusal = this.#setBoot(machine, memberOf(question.body, 'Boot'));
    return refusal ?? told();
  }

  /** Null: it is done. */
  #setBoot(machine: RedfishMachine, wanted: unknown): RedfishTold | null {
    const { bootEnabled, bootTargets, bootMode, onlyOnce } = this.#world.flavour;
    const text = (name: string): string | undefined => {
      const value = memberOf(wanted, `BootSourceOverride${name}`);
      return typeof value === 'string' ? value : undefined;
    };
    const [enabled, target, mode] = [text('Enabled'), text('Target'), text('Mode')];
    const allowed = bootEnabled ?? ['Disabled', 'Once', 'Continuous'];
    if (enabled === undefined && target === undefined && mode === undefined)
      return refuse(400, 'PropertyMissing', 'There is nothing to change.');
    if (enabled !== undefined && !allowed.includes(enabled))
      return refuse(400, 'PropertyValueNotInList', `${enabled} is not in the list of acceptable values.`);
    if (target !== undefined && !bootTargets.includes(target))
      return refuse(400, 'PropertyValueNotInList', `${target} is not in the list of acceptable values.`);
    if (mode !== undefined && (bootMode === 'readOnly' || bootMode === 'absent'))
      return refuse(400, 'PropertyNotWritable', 'BootSourceOverrideMode is read only.');
    if (enabled === 'Continuous' && onlyOnce.includes(target ?? ''))
      return refuse(400, 'UnsupportedOperation', 'The operation is not supported in this mode.');
    machine.setBoot({
      ...(enabled === undefined ? {} : { enabled }),
      ...(target === undefined ? {} : { target }),
      // Such a service falls back to its default if it is not set again.
      ...(mode !== undefined ? { mode } : bootMode === 'needed' ? { mode: 'Legacy' } : {}),
    });
    return null;
  }

  #reset(machine: RedfishMachine, { method, body }: RedfishQuestion): RedfishTold {
    const { noChange, resetsAreTasks } = this.#world.flavour;
    if (method !== 'POST') return refuse(405, 'OperationNotAllowed', 'An action is posted.');
    const type = memberOf(body, 'ResetType');
    const verdict = machine.reset(typeof type === 'string' ? type : '');
    if (verdict === 'refused')
      return refuse(400, 'ActionParameterNotSupported', `The reset type ${String(type)} is not supported now.`);
    if (verdict === 'noChange' && noChange !== 204)
      return refuse(noChange, 'ResourceInUse', `The machine is ${machine.power} already.`);
    if (!resetsAreTasks) return { status: 204 };
    this.#tasks += 1;
    const monitor = this.#at.of('TaskMonitors', String(this.#tasks));
    return { status: 202, document: documents.taskDocument(monitor, 'Running'), headers: { location: monitor } };
  }
}

const memberOf = (value: unknown, name: string): unknown => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found;
};
