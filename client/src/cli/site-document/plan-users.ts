import type { ServiceState } from './service-state.ts';
import type { SitePlan } from './site-plan.ts';
import type { Member, DesiredState, DesiredUser } from './desired-state.ts';

/** Projects that are missing, and those that the document does not have. */
export const planProjects = (plan: SitePlan, { projects }: DesiredState, state: ServiceState): void => {
  if (!projects) return;
  for (const [project, ref] of projects) {
    if (state.projects.includes(project)) continue;
    plan.step('projects', {
      sign: 'create',
      kind: 'project',
      what: `project ${project}`,
      ref,
      call: (corral) => corral.projectCreate({ project }),
    });
  }
  for (const project of state.projects) if (!projects.has(project)) plan.extra('project', `project ${project}`);
};

/** Users that are missing or differ, and those that the document does not have. */
export const planUsers = (plan: SitePlan, desired: DesiredState, state: ServiceState): void => {
  if (!desired.users) return;
  const [first] = desired.users.values();
  if (!state.users) {
    if (first)
      plan.mistake({ ...first, path: 'users' }, 'this service has no users of its own: it uses an identity provider');
    return;
  }
  for (const [username, user] of desired.users) {
    const now = state.users.get(username);
    const changes = now !== undefined && user.isAdmin !== null && user.isAdmin !== now.isAdmin;
    if (changes || (!now && user.isAdmin)) requireRightCaller(plan, username, user, state);
    if (!now) createUser(plan, username, user);
    else if (changes) setAdmin(plan, username, user, user.isAdmin);
    const has = now?.projects ?? [];
    for (const member of user.projects) {
      requireProject(plan, desired, state, member);
      if (!has.includes(member.project)) join(plan, username, member, now ? 'change' : 'create');
    }
    for (const project of has) {
      if (!user.projects.some((member) => member.project === project)) {
        plan.extra('user', `user ${username} in project ${project}`);
      }
    }
  }
  for (const username of state.users.keys()) {
    if (!desired.users.has(username)) plan.extra('user', `user ${username}`);
  }
};

/** A token may not make administrators, and nobody changes their own access. */
const requireRightCaller = (plan: SitePlan, username: string, user: DesiredUser, { caller }: ServiceState): void => {
  if (caller?.by === 'token') {
    plan.mistake(
      user,
      'an API token (corral login makes one) may not change who is an administrator; for this run set CORRAL_ENDPOINT, CORRAL_USERNAME and CORRAL_PASSWORD',
    );
  } else if (caller?.name === username) plan.mistake(user, 'you cannot change your own administrative access');
};

/** A project that is in neither of the two is a mistake. */
export const requireProject = (
  plan: SitePlan,
  { projects }: DesiredState,
  state: ServiceState,
  member: Member,
): void => {
  if (projects?.has(member.project) || state.projects.includes(member.project)) return;
  plan.mistake(member, `project ${member.project} exists neither in the document nor at the service`);
};

const createUser = (plan: SitePlan, username: string, user: DesiredUser): void => {
  const { password } = user;
  if (!password) {
    plan.mistake(user, `user ${username} is new and needs a password: password_file or password_env`);
    return;
  }
  plan.step('users', {
    sign: 'create',
    kind: 'user',
    what: `user ${username}${user.isAdmin ? ', an administrator' : ''}`,
    ref: user,
    secrets: [password],
    call: (corral, secretOf) =>
      corral.userCreate({ username, password: secretOf(password), is_admin: user.isAdmin ?? false }),
  });
};

const setAdmin = (plan: SitePlan, username: string, ref: DesiredUser, isAdmin: boolean): void =>
  plan.step('memberships', {
    sign: 'change',
    kind: 'user',
    what: `user ${username}: administrative access ${isAdmin ? 'given' : 'taken away'}`,
    ref,
    call: (corral) => corral.userSetAdmin({ username, is_admin: isAdmin }),
  });

const join = (plan: SitePlan, user: string, member: Member, sign: 'create' | 'change'): void =>
  plan.step('memberships', {
    sign,
    kind: 'user',
    what: `user ${user} in project ${member.project}`,
    ref: member,
    call: (corral) => corral.userAddProject({ user, project: member.project }),
  });
