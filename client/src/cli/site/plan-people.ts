import type { Actual } from './actual.ts';
import type { Draft } from './draft.ts';
import type { Member, Wanted, WantedUser } from './wanted.ts';

/** Projects that are missing, and those that the document does not have. */
export const planProjects = (draft: Draft, { projects }: Wanted, actual: Actual): void => {
  if (!projects) return;
  for (const [project, told] of projects) {
    if (actual.projects.includes(project)) continue;
    draft.step('projects', {
      sign: 'create',
      kind: 'project',
      what: `project ${project}`,
      told,
      call: (corral) => corral.projectCreate({ project }),
    });
  }
  for (const project of actual.projects) if (!projects.has(project)) draft.extra('project', `project ${project}`);
};

/** Users that are missing or differ, and those that the document does not have. */
export const planUsers = (draft: Draft, wanted: Wanted, actual: Actual): void => {
  if (!wanted.users) return;
  const [first] = wanted.users.values();
  if (!actual.users) {
    if (first)
      draft.mistake({ ...first, path: 'users' }, 'this service has no users of its own: it uses an identity provider');
    return;
  }
  for (const [username, user] of wanted.users) {
    const now = actual.users.get(username);
    const changes = now !== undefined && user.isAdmin !== null && user.isAdmin !== now.isAdmin;
    if (changes || (!now && user.isAdmin)) requireRightCaller(draft, username, user, actual);
    if (!now) createUser(draft, username, user);
    else if (changes) setAdmin(draft, username, user, user.isAdmin);
    const has = now?.projects ?? [];
    for (const member of user.projects) {
      requireProject(draft, wanted, actual, member);
      if (!has.includes(member.project)) join(draft, username, member, now ? 'change' : 'create');
    }
    for (const project of has) {
      if (!user.projects.some((member) => member.project === project)) {
        draft.extra('user', `user ${username} in project ${project}`);
      }
    }
  }
  for (const username of actual.users.keys()) {
    if (!wanted.users.has(username)) draft.extra('user', `user ${username}`);
  }
};

/** A token may not make administrators, and nobody changes their own access. */
const requireRightCaller = (draft: Draft, username: string, user: WantedUser, { caller }: Actual): void => {
  if (caller?.by === 'token') {
    draft.mistake(
      user,
      'an API token (corral login makes one) may not change who is an administrator; for this run set CORRAL_ENDPOINT, CORRAL_USERNAME and CORRAL_PASSWORD',
    );
  } else if (caller?.name === username) draft.mistake(user, 'you cannot change your own administrative access');
};

/** A project that is in neither of the two is a mistake. */
export const requireProject = (draft: Draft, { projects }: Wanted, actual: Actual, member: Member): void => {
  if (projects?.has(member.project) || actual.projects.includes(member.project)) return;
  draft.mistake(member, `project ${member.project} exists neither in the document nor at the service`);
};

const createUser = (draft: Draft, username: string, user: WantedUser): void => {
  const { password } = user;
  if (!password) {
    draft.mistake(user, `user ${username} is new and needs a password: password_file or password_env`);
    return;
  }
  draft.step('users', {
    sign: 'create',
    kind: 'user',
    what: `user ${username}${user.isAdmin ? ', an administrator' : ''}`,
    told: user,
    secrets: [password],
    call: (corral, secretOf) =>
      corral.userCreate({ username, password: secretOf(password), is_admin: user.isAdmin ?? false }),
  });
};

const setAdmin = (draft: Draft, username: string, told: WantedUser, isAdmin: boolean): void =>
  draft.step('memberships', {
    sign: 'change',
    kind: 'user',
    what: `user ${username}: administrative access ${isAdmin ? 'given' : 'taken away'}`,
    told,
    call: (corral) => corral.userSetAdmin({ username, is_admin: isAdmin }),
  });

const join = (draft: Draft, user: string, member: Member, sign: 'create' | 'change'): void =>
  draft.step('memberships', {
    sign,
    kind: 'user',
    what: `user ${user} in project ${member.project}`,
    told: member,
    call: (corral) => corral.userAddProject({ user, project: member.project }),
  });
