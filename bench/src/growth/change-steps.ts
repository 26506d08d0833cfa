import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { password } from '../installation.ts';
import { subscriptionSteps } from './subscription-steps.ts';
import { type Answer, type Step, type Walk, asUser, get, post, put, remove, until } from './call-step.ts';

/** So few, because a password takes its time. */
const passwords = { count: 6 } as const;

const named =
  (kind: string) =>
  ({ prefix }: Walk, index: number): string =>
    `${prefix}-${kind}${index}`;
const project = named('p');
const node = named('n');
const onSwitch = named('s');
const network = named('net');
const headnode = named('h');
const user = named('u');
const port = (walk: Walk, index: number): string => `/switch/${onSwitch(walk, index)}/port/gi0`;
const nic = (walk: Walk, index: number): string => `/node/${node(walk, index)}/nic/eth0`;

/** Every action that a step queued has ended. */
const actions = {
  keep: ({ kept }: Walk, index: number, { body }: Answer): void =>
    void kept.set(`action ${index}`, (body as { status_id: string }).status_id),
  settled: async (walk: Walk, count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      await until(walk, `/networking_action/${walk.kept.get(`action ${index}`) ?? ''}`, (body) => {
        const { status } = body as { status: string };
        if (status === 'ERROR') throw new Error(JSON.stringify(body));
        return status === 'DONE';
      });
    }
  },
};

const portsAreRead = async (walk: Walk, count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    const isRead = (body: unknown): boolean => (body as { unread: unknown[] }).unread.length === 0;
    await until(walk, `/switch/${onSwitch(walk, index)}/drift`, isRead);
  }
};

const cleaning = ({ kept }: Walk, index: number): string => `/cleaning/${kept.get(`cleaning ${index}`) ?? ''}`;

const cleaningsAreOver = async (walk: Walk, count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    await until(walk, cleaning(walk, index), (body) => (body as { state: string }).state === 'passed');
  }
};

/** A machine that the daemon knows. */
const addMachine = async (walk: Walk, index: number): Promise<void> => {
  const { url, adminToken } = walk.site.obmd;
  const response = await fetch(`${url}/node/${node(walk, index)}`, {
    method: 'PUT',
    headers: { authorization: `Basic ${Buffer.from(`admin:${adminToken}`).toString('base64')}` },
    body: JSON.stringify({ type: 'mock', info: { addr: node(walk, index) } }),
  });
  if (!response.ok) throw new Error(`the OBM daemon answered ${response.status} ${await response.text()}`);
};

/** A machine on the simulated hypervisor that no headnode is recorded for. */
const addLeftover = async (walk: Walk, index: number): Promise<void> => {
  const file = join(walk.site.installation.dataDir, 'mock-hypervisor.json');
  const machines = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const uuid = randomUUID();
  writeFileSync(file, JSON.stringify({ ...machines, [uuid]: { uuid, image: 'base', hnics: [], vncPort: null } }));
  walk.kept.set(`leftover ${index}`, uuid);
  await Promise.resolve();
};

const obmdOf = (walk: Walk, index: number) => ({
  uri: `${walk.site.obmd.url}/node/${node(walk, index)}`,
  admin_token: walk.site.obmd.adminToken,
});

/** What an operator and a tenant do with a machine, from its registration to its removal. */
const machineSteps: readonly Step[] = [
  { call: 'projectCreate', sent: (walk, index) => put(`/project/${project(walk, index)}`) },
  {
    call: 'nodeRegister',
    before: addMachine,
    sent: (walk, index) => put(`/node/${node(walk, index)}`, { obmd: obmdOf(walk, index) }),
  },
  { call: 'showObmd', sent: (walk, index) => get(`/node/${node(walk, index)}/obmd`) },
  { call: 'nodeSetObmd', sent: (walk, index) => put(`/node/${node(walk, index)}/obmd`, obmdOf(walk, index)) },
  { call: 'showBmc', sent: (walk, index) => get(`/node/${node(walk, index)}/bmc`) },
  { call: 'bmcTest', sent: (walk, index) => post(`/node/${node(walk, index)}/bmc/test`) },
  { call: 'bmcDelete', sent: (walk, index) => remove(`/node/${node(walk, index)}/bmc`) },
  {
    call: 'bmcRegister',
    sent: (walk, index) => put(`/node/${node(walk, index)}/bmc`, { type: 'mock', info: { addr: node(walk, index) } }),
  },
  { call: 'nodeSetMetadata', sent: (walk, index) => put(`/node/${node(walk, index)}/metadata/rack`, { value: 'r7' }) },
  { call: 'nodeDeleteMetadata', sent: (walk, index) => remove(`/node/${node(walk, index)}/metadata/rack`) },
  {
    call: 'switchRegister',
    sent: (walk, index) =>
      put(`/switch/${onSwitch(walk, index)}`, {
        type: 'mock',
        hostname: onSwitch(walk, index),
        username: 'bench',
        password: 'bench',
      }),
  },
  {
    call: 'switchUpdate',
    sent: (walk, index) => ({
      method: 'PATCH',
      path: `/switch/${onSwitch(walk, index)}`,
      body: { password: 'another' },
    }),
  },
  { call: 'switchTest', sent: (walk, index) => post(`/switch/${onSwitch(walk, index)}/test`, {}) },
  {
    call: 'switchSetPolicy',
    sent: (walk, index) => put(`/switch/${onSwitch(walk, index)}/policy`, { policy: 'report' }),
  },
  { call: 'switchRegisterPort', sent: (walk, index) => put(port(walk, index)) },
  { call: 'nodeRegisterNic', sent: (walk, index) => put(nic(walk, index), { macaddr: '52:54:00:00:00:01' }) },
  {
    call: 'portConnectNic',
    sent: (walk, index) => post(`${port(walk, index)}/connect_nic`, { node: node(walk, index), nic: 'eth0' }),
    settled: portsAreRead,
  },
  { call: 'showPort', sent: (walk, index) => get(port(walk, index)) },
  { call: 'switchSweep', sent: (walk, index) => post(`/switch/${onSwitch(walk, index)}/sweep`) },
  {
    call: 'projectClaimPreview',
    sent: (walk, index) =>
      post(`/project/${project(walk, index)}/claim/preview`, {
        count: 1,
        match: { metadata: { [walk.prefix]: { present: true } } },
      }),
  },
  {
    call: 'projectConnectNode',
    sent: (walk, index) => post(`/project/${project(walk, index)}/connect_node`, { node: node(walk, index) }),
  },
  {
    call: 'projectClaim',
    what: 'that waits',
    count: 5,
    sent: (walk, index) =>
      post(`/project/${project(walk, index)}/claim`, {
        count: 1,
        match: { metadata: { [walk.prefix]: { equals: node(walk, index) } } },
        wait: true,
      }),
    before: async (walk, index) => {
      await walk.send(put(`/node/${node(walk, index)}/metadata/${walk.prefix}`, { value: node(walk, index) }));
    },
    keep: ({ kept }, index, { body }) => void kept.set(`claim ${index}`, (body as { claim: string }).claim),
  },
  { call: 'showClaim', count: 5, sent: ({ kept }, index) => get(`/claim/${kept.get(`claim ${index}`) ?? ''}`) },
  { call: 'listProjectClaims', sent: (walk, index) => get(`/project/${project(walk, index)}/claims`) },
  { call: 'claimCancel', count: 5, sent: ({ kept }, index) => remove(`/claim/${kept.get(`claim ${index}`) ?? ''}`) },
  {
    call: 'quotaSet',
    sent: (walk, index) => put('/quota/networks', { project: project(walk, index), limit: 4 }),
  },
  {
    call: 'networkCreate',
    sent: (walk, index) =>
      put(`/network/${network(walk, index)}`, {
        owner: project(walk, index),
        access: project(walk, index),
        net_id: '',
      }),
  },
  {
    call: 'networkGrantProjectAccess',
    sent: (walk, index) => put(`/network/${network(walk, index)}/access/project-000000`),
  },
  {
    call: 'nodeConnectNetwork',
    sent: (walk, index) => post(`${nic(walk, index)}/connect_network`, { network: network(walk, index) }),
    ...actions,
  },
  { call: 'showNetwork', sent: (walk, index) => get(`/network/${network(walk, index)}`) },
  { call: 'listNetworkAttachments', sent: (walk, index) => get(`/network/${network(walk, index)}/attachments`) },
  {
    call: 'nodeDetachNetwork',
    sent: (walk, index) => post(`${nic(walk, index)}/detach_network`, { network: network(walk, index) }),
    ...actions,
  },
  { call: 'portRevert', sent: (walk, index) => post(`${port(walk, index)}/revert`), ...actions },
  {
    call: 'nodeSetObm',
    what: 'to enabled',
    sent: (walk, index) => put(`/node/${node(walk, index)}/obm`, { enabled: true }),
  },
  { call: 'nodePowerOn', sent: (walk, index) => post(`/node/${node(walk, index)}/power_on`) },
  { call: 'nodePowerStatus', sent: (walk, index) => get(`/node/${node(walk, index)}/power_status`) },
  { call: 'nodePowerCycle', sent: (walk, index) => post(`/node/${node(walk, index)}/power_cycle`, { force: true }) },
  { call: 'nodeSetBootdev', sent: (walk, index) => put(`/node/${node(walk, index)}/boot_device`, { bootdev: 'disk' }) },
  { call: 'showConsole', sent: (walk, index) => get(`/node/${node(walk, index)}/console`), isStream: true, count: 10 },
  { call: 'showConsoleClient', sent: (walk, index) => get(`/node/${node(walk, index)}/console/client`) },
  { call: 'nodePowerOff', sent: (walk, index) => post(`/node/${node(walk, index)}/power_off`) },
  {
    call: 'nodeSetObm',
    what: 'to disabled',
    sent: (walk, index) => put(`/node/${node(walk, index)}/obm`, { enabled: false }),
  },
];

const headnodeSteps: readonly Step[] = [
  {
    call: 'headnodeCreate',
    sent: (walk, index) =>
      put(`/headnode/${headnode(walk, index)}`, { project: project(walk, index), base_img: 'base' }),
  },
  { call: 'headnodeCreateHnic', sent: (walk, index) => put(`/headnode/${headnode(walk, index)}/hnic/eth0`) },
  {
    call: 'headnodeConnectNetwork',
    sent: (walk, index) =>
      post(`/headnode/${headnode(walk, index)}/hnic/eth0/connect_network`, { network: network(walk, index) }),
  },
  {
    call: 'headnodeDetachNetwork',
    sent: (walk, index) => post(`/headnode/${headnode(walk, index)}/hnic/eth0/detach_network`),
  },
  { call: 'headnodeDeleteHnic', sent: (walk, index) => remove(`/headnode/${headnode(walk, index)}/hnic/eth0`) },
  { call: 'headnodeStart', sent: (walk, index) => post(`/headnode/${headnode(walk, index)}/start`) },
  { call: 'showHeadnode', sent: (walk, index) => get(`/headnode/${headnode(walk, index)}`) },
  // Without a WebSocket: the caller is accepted, and the call is refused.
  { call: 'headnodeVnc', sent: (walk, index) => get(`/headnode/${headnode(walk, index)}/vnc`), status: 400 },
  { call: 'headnodeStop', sent: (walk, index) => post(`/headnode/${headnode(walk, index)}/stop`) },
  { call: 'headnodeDelete', sent: (walk, index) => remove(`/headnode/${headnode(walk, index)}`) },
  {
    call: 'headnodeDeleteLeftover',
    before: addLeftover,
    count: 10,
    sent: ({ kept }, index) => remove(`/headnode_leftover/${kept.get(`leftover ${index}`) ?? ''}`),
  },
];

const releaseOf = ({ kept }: Walk, index: number): string => `/release/${kept.get(`release ${index}`) ?? ''}`;

const removalSteps: readonly Step[] = [
  {
    call: 'networkRevokeProjectAccess',
    sent: (walk, index) => remove(`/network/${network(walk, index)}/access/project-000000`),
  },
  { call: 'quotaDelete', sent: (walk, index) => remove(`/quota/networks?project=${project(walk, index)}`) },
  { call: 'networkDelete', sent: (walk, index) => remove(`/network/${network(walk, index)}`) },
  {
    call: 'projectDetachNode',
    sent: (walk, index) => post(`/project/${project(walk, index)}/detach_node`, { node: node(walk, index) }),
  },
  {
    call: 'projectReleaseNodes',
    before: async (walk, index) => {
      await walk.send(post(`/project/${project(walk, index)}/connect_node`, { node: node(walk, index) }));
    },
    sent: (walk, index) => post(`/project/${project(walk, index)}/release`, { nodes: [node(walk, index)] }),
    keep: ({ kept }, index, { body }) => {
      const { releases } = body as { releases: { release: string }[] };
      kept.set(`release ${index}`, releases[0]?.release ?? '');
    },
    settled: async (walk, count) => {
      for (let index = 0; index < count; index += 1) {
        await until(walk, releaseOf(walk, index), (body) => (body as { state: string }).state === 'done');
      }
    },
  },
  { call: 'showRelease', sent: (walk, index) => get(releaseOf(walk, index)) },
  { call: 'listProjectReleases', sent: (walk, index) => get(`/project/${project(walk, index)}/releases`) },
  {
    call: 'nodeQuarantine',
    sent: (walk, index) => post(`/node/${node(walk, index)}/quarantine`, { reason: 'measured' }),
    keep: ({ kept }, index, { body }) => void kept.set(`cleaning ${index}`, (body as { cleaning: string }).cleaning),
  },
  { call: 'listCleanings', sent: () => get('/cleanings') },
  { call: 'showCleaning', sent: (walk, index) => get(cleaning(walk, index)) },
  {
    call: 'cleaningSkip',
    sent: (walk, index) => post(`${cleaning(walk, index)}/skip`, { step: 'power', reason: 'measured' }),
  },
  {
    call: 'cleaningResult',
    sent: (walk, index) => post(`${cleaning(walk, index)}/result`, { step: 'power', token: 'wrong', outcome: 'clean' }),
    status: 401,
  },
  {
    call: 'cleaningRetry',
    sent: (walk, index) => post(`${cleaning(walk, index)}/retry`),
    settled: cleaningsAreOver,
  },
  { call: 'portDetachNic', sent: (walk, index) => post(`${port(walk, index)}/detach_nic`) },
  { call: 'nodeDeleteNic', sent: (walk, index) => remove(nic(walk, index)) },
  { call: 'nodeDelete', sent: (walk, index) => remove(`/node/${node(walk, index)}`) },
  { call: 'switchDeletePort', sent: (walk, index) => remove(port(walk, index)) },
  { call: 'switchDelete', sent: (walk, index) => remove(`/switch/${onSwitch(walk, index)}`) },
];

const signedIn = ({ kept }: Walk, index: number): { readonly cookie: string } => ({
  cookie: kept.get(`cookie ${index}`) ?? '',
});
const signIn = (what?: string): Step => ({
  call: 'sessionOpen',
  ...(what === undefined ? {} : { what }),
  ...passwords,
  sent: (walk, index) => ({
    ...post('/auth/session', { username: user(walk, index), password }),
    headers: { origin: walk.url },
  }),
  keep: ({ kept }, index, { cookie }) => void kept.set(`cookie ${index}`, cookie),
});

const userSteps: readonly Step[] = [
  {
    call: 'userCreate',
    ...passwords,
    sent: (walk, index) => put(`/auth/basic/user/${user(walk, index)}`, { password }),
  },
  {
    call: 'userAddProject',
    ...passwords,
    sent: (walk, index) => post(`/auth/basic/user/${user(walk, index)}/add_project`, { project: project(walk, index) }),
  },
  {
    call: 'userSetMail',
    ...passwords,
    sent: (walk, index) => ({
      method: 'PATCH',
      path: `/auth/basic/user/${user(walk, index)}/mail`,
      body: { address: 'bench@example.org' },
    }),
  },
  {
    call: 'showUserMail',
    ...passwords,
    sent: (walk, index) => get(`/auth/basic/user/${user(walk, index)}/mail`),
  },
  {
    call: 'userSetAdmin',
    ...passwords,
    sent: (walk, index) => ({
      method: 'PATCH',
      path: `/auth/basic/user/${user(walk, index)}`,
      body: { is_admin: true },
    }),
  },
  {
    call: 'tokenCreate',
    ...passwords,
    sent: (walk, index) => ({ ...put('/auth/token/bench', {}), headers: asUser(user(walk, index)) }),
  },
  { call: 'listTokens', sent: (walk, index) => get(`/auth/tokens?user=${user(walk, index % passwords.count)}`) },
  {
    call: 'tokenRevoke',
    ...passwords,
    sent: (walk, index) => remove(`/auth/token/bench?user=${user(walk, index)}`),
  },
  signIn(),
  {
    call: 'listSessions',
    ...passwords,
    sent: (walk, index) => get(`/auth/sessions?user=${user(walk, index)}`),
    keep: ({ kept }, index, { body }) =>
      void kept.set(`session ${index}`, (body as { session: string }[])[0]?.session ?? ''),
  },
  {
    call: 'sessionEnd',
    ...passwords,
    sent: ({ kept }, index) => remove(`/auth/sessions/${kept.get(`session ${index}`) ?? ''}`),
  },
  signIn('again'),
  {
    call: 'sessionClose',
    ...passwords,
    sent: (walk, index) => ({
      ...remove('/auth/session'),
      headers: { ...signedIn(walk, index), origin: walk.url },
    }),
  },
  {
    call: 'userSetPassword',
    ...passwords,
    sent: (walk, index) => put(`/auth/basic/user/${user(walk, index)}/password`, { password: 'another password' }),
  },
  {
    call: 'userRemoveProject',
    ...passwords,
    sent: (walk, index) =>
      post(`/auth/basic/user/${user(walk, index)}/remove_project`, { project: project(walk, index) }),
  },
  { call: 'userDelete', ...passwords, sent: (walk, index) => remove(`/auth/basic/user/${user(walk, index)}`) },
  { call: 'projectDelete', sent: (walk, index) => remove(`/project/${project(walk, index)}`) },
];

/** Every call that changes something, in an order in which each finds what it needs, and nothing is left. */
export const changeSteps: readonly Step[] = [
  ...machineSteps,
  ...headnodeSteps,
  ...removalSteps,
  ...subscriptionSteps,
  ...userSteps,
];
