import { headnode, managedNode, passwordOf, type Tenant, tenants } from './demo-tenants.ts';

const nodeToReserve = 'node-40';

/** What is printed when the rack is up: where it is, who can log in, and five commands to copy. */
export const welcome = (origin: string, adminPassword: string, log: string, readyAfter: string): string => `
Ready after ${readyAfter}: ${origin}
  Reference of all calls: ${origin}/reference

  user    password     may
${[
  row('admin', adminPassword, 'do everything'),
  ...tenants.map((tenant) => row(tenant.user, passwordOf(tenant.user), `act for ${tenant.project}: ${has(tenant)}`)),
].join('\n')}

Try these:
${commands(origin)
  .map(([why, command]) => `\n  # ${why}\n  ${command}\n`)
  .join('')}
The service logs to ${log}. Ctrl-C stops it.
`;

const row = (user: string, password: string, may: string): string => `  ${user.padEnd(8)}${password.padEnd(13)}${may}`;

const has = ({ project, nodes, networks }: Tenant): string => {
  if (nodes.length === 0 && networks.length === 0) return 'nothing reserved yet';
  const machines = `${nodes.length} nodes, ${networks.length} network${networks.length === 1 ? '' : 's'}`;
  return project === tenants[0]?.project ? `${machines}, headnode ${headnode.label}` : machines;
};

const commands = (origin: string): readonly (readonly [string, string])[] => {
  const [first] = tenants;
  const login = first === undefined ? '' : `-u ${first.user}:${passwordOf(first.user)} `;
  const as = (rest: string, path: string) => `curl ${login}${rest}${origin}/v0${path}`;
  return [
    ['Which machines are free? Anybody may ask.', `curl ${origin}/v0/nodes/free`],
    ['A machine, its nics and the networks they are on', as('', `/node/${managedNode}`)],
    ['Reserve a machine', as(`-d '{"node": "${nodeToReserve}"}' `, `/project/${first?.project ?? ''}/connect_node`)],
    [
      'Put it on a network; the answer names the networking action',
      as(`-d '{"network": "${headnode.network}"}' `, `/node/${nodeToReserve}/nic/eth0/connect_network`),
    ],
    ['Watch a serial console', as('-N ', `/node/${managedNode}/console`)],
  ];
};
