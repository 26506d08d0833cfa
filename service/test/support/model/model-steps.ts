import fc from 'fast-check';
import type { Faults } from '../../../src/drivers/switches/simulated-switch.ts';
import type { Call } from './predict-calls.ts';
import { networks, nics, nodes, plugs, projects, type State, switchOf, type SwitchName } from './model-state.ts';

/** What a walk does next: a call, something that befalls a switch or the service, or a wait for the engine. */
export type Step =
  | { readonly do: 'call'; readonly call: Call }
  | { readonly do: 'fault'; readonly at: SwitchName; readonly faults: Faults }
  | { readonly do: 'settle' }
  | { readonly do: 'restart' };

const caller = fc.oneof(
  { weight: 7, arbitrary: fc.constant('admin' as const) },
  { weight: 2, arbitrary: fc.constant('alice' as const) },
  { weight: 1, arbitrary: fc.constant('bob' as const) },
);
const node = fc.constantFrom(...nodes);
const nic = fc.constantFrom(...nics);
const network = fc.constantFrom(...networks);
const project = fc.constantFrom(...projects);
/** Blind choices rarely hit, so that these words mean: whatever is there when the call is made. */
const attached = fc.constantFrom(...networks, 'attached', 'attached', 'attached', 'attached', 'attached');
const home = fc.constantFrom(...projects, 'home', 'home');
const op = <const Op extends string>(...names: Op[]): fc.Arbitrary<Op> => fc.constantFrom(...names);

const call = (weight: number, arbitrary: fc.Arbitrary<Call>) => ({
  weight,
  arbitrary: arbitrary.map((made): Step => ({ do: 'call', call: made })),
});

const channel = op('default', 'native', 'tagged', 'tagged', 'illegal');
const owner = fc.constantFrom('red', 'red', 'blue', 'admin');
const access = fc.constantFrom('red', 'red', 'blue', '');
const net_id = fc.constantFrom('', '', '', '100', '200', '4095');
const user = fc.constantFrom('alice', 'bob');

const calls = [
  call(24, fc.record({ op: op('connect_network'), caller, node, nic, network, channel })),
  call(16, fc.record({ op: op('detach_network'), caller, node, nic, network: attached })),
  call(7, fc.record({ op: op('project_connect_node'), caller, project, node })),
  call(7, fc.record({ op: op('project_detach_node'), caller, project: home, node })),
  call(8, fc.record({ op: op('network_create'), caller, network, owner, access, net_id })),
  call(4, fc.record({ op: op('network_delete'), caller, network })),
  call(3, fc.record({ op: op('network_grant', 'network_revoke'), caller, network, project })),
  call(4, fc.record({ op: op('port_revert', 'port_connect_nic', 'port_detach_nic'), caller, node, nic })),
  call(1, fc.record({ op: op('project_create', 'project_delete'), caller, project })),
  call(1, fc.record({ op: op('user_add_project', 'user_remove_project'), caller, project, user })),
  call(2, fc.record({ op: op('show_node'), caller, node })),
  call(2, fc.record({ op: op('show_network'), caller, network })),
];

/** Puts what is there in the place of the words that stand for it. */
export const resolved = (made: Call, { nics: held, nodes: homes }: State): Call => {
  if (made.op === 'detach_network' && made.network === 'attached') {
    return { ...made, network: Object.values(held[`${made.node}/${made.nic}`].on)[0] ?? 'net0' };
  }
  if (made.op === 'project_detach_node' && made.project === 'home') {
    return { ...made, project: homes[made.node] ?? 'red' };
  }
  return made;
};

const at = fc.constantFrom<SwitchName>('sw0', 'sw1');
const portsAt = (where: SwitchName): fc.Arbitrary<readonly string[]> =>
  fc.oneof(
    fc.constant(['*']),
    fc.subarray(
      plugs.filter((plug) => switchOf(plug) === where),
      { minLength: 1 },
    ),
  );
const faults = at.chain((where) =>
  fc
    .oneof(
      fc.constant<Faults>({ unreachable: true }),
      fc.constant<Faults>({ drop: true }),
      fc.constant<Faults>({ hang: true }),
      fc.constant<Faults>({ delayMs: 30 }),
      portsAt(where).map((refuse): Faults => ({ refuse })),
      portsAt(where).map((lie): Faults => ({ lie })),
    )
    .map((made): Step => ({ do: 'fault', at: where, faults: made })),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  ...calls,
  { weight: 6, arbitrary: faults },
  { weight: 5, arbitrary: at.map((where): Step => ({ do: 'fault', at: where, faults: {} })) },
  { weight: 10, arbitrary: fc.constant<Step>({ do: 'settle' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'restart' }) },
);

/**
 * What blind chance brings about too seldom: a change to a port that fails half way, or is still under way,
 * and then everything that has to wait for it.
 */
const trouble: fc.Arbitrary<Step[]> = fc
  .record({
    node,
    nic,
    network,
    fault: fc.constantFrom<Faults>({ drop: true }, { drop: true }, { hang: true }, { unreachable: true }),
  })
  .chain(({ node: inTrouble, nic: plugged, network: wanted, fault }) => {
    const where = switchOf(`${inTrouble}/${plugged}`);
    const own = { caller: 'admin', node: inTrouble, nic: plugged } as const;
    const by = { caller: 'admin', network: wanted } as const;
    const happen = (next: Faults): Step => ({ do: 'fault', at: where, faults: next });
    const said = (next: Call): Step => ({ do: 'call', call: next });
    const before: readonly Step[] = [
      { do: 'fault', at: 'sw0', faults: {} },
      { do: 'fault', at: 'sw1', faults: {} },
      ...nics.map((one) => said({ op: 'port_revert', ...own, nic: one })),
      { do: 'settle' },
      said({ op: 'project_connect_node', caller: 'admin', project: 'red', node: inTrouble }),
      said({ op: 'network_create', ...by, owner: 'blue', access: 'red', net_id: '' }),
      said({ op: 'network_grant', ...by, project: 'red' }),
      happen(fault),
      said({ op: 'connect_network', ...own, network: wanted, channel: 'default' }),
    ];
    const again = said({ op: 'connect_network', ...own, network: wanted, channel: 'tagged' });
    const settle: Step = { do: 'settle' };
    const after = fc.constantFrom<readonly Step[]>(
      [settle],
      [again],
      [again, settle],
      [happen({ unreachable: true }), again, settle],
      [happen({ lie: ['*'] }), again, settle],
      [happen({ refuse: ['*'] }), again, settle],
      [happen({})],
      [said({ op: 'detach_network', ...own, network: 'attached' })],
      [said({ op: 'port_revert', ...own })],
      [said({ op: 'project_detach_node', caller: 'admin', project: 'home', node: inTrouble })],
      [said({ op: 'project_connect_node', caller: 'admin', project: 'blue', node: inTrouble })],
      [said({ op: 'network_delete', ...by })],
      [said({ op: 'network_revoke', ...by, project: 'red' })],
    );
    return fc.array(after, { minLength: 4, maxLength: 8, size: 'max' }).map((then) => [...before, ...then.flat()]);
  });

/** A few steps: mostly one, sometimes trouble. */
export const steps: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 6, arbitrary: step.map((one) => [one]) },
  { weight: 1, arbitrary: trouble },
);

const prelude: readonly Call[] = [
  { op: 'project_connect_node', caller: 'alice', project: 'red', node: 'n0' },
  { op: 'project_connect_node', caller: 'admin', project: 'red', node: 'n1' },
  { op: 'project_connect_node', caller: 'bob', project: 'blue', node: 'n2' },
  { op: 'network_create', caller: 'alice', network: 'net0', owner: 'red', access: 'red', net_id: '' },
  { op: 'network_create', caller: 'admin', network: 'net1', owner: 'admin', access: '', net_id: '300' },
];

/** Begins where there is something to do: nodes in projects, networks to connect them to. */
export const firstSteps: readonly Step[] = prelude.map((made) => ({ do: 'call', call: made }));
