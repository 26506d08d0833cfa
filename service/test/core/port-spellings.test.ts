import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/http/expect-answers.ts';
import { engines } from '../support/services/engines.ts';
import { enc, sharedService } from '../support/services/shared-service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { done, obmd } from '../support/services/world.ts';

const login = { hostname: '127.0.0.1', username: 'u', password: 'p' };
const withDummy = { ...login, dummy_vlan: 4 };
const rest = { ...login, interface_type: 'TenGigabitEthernet' };

/** A port of each type, as it is called here, and other ways to write it. */
const spellings: readonly [string, object, string, readonly string[]][] = [
  ['cisco-ios', withDummy, 'GigabitEthernet1/0/1', ['gi1/0/1', 'Gi 1/0/1', 'GIGABIT1/0/1', 'gigabitethernet 1/0/1']],
  ['cisco-nxos', withDummy, 'Ethernet1/7', ['eth1/7', 'Eth 1/7', 'ETHERNET1/7']],
  ['nexus', withDummy, 'Ethernet1/7', ['eth1/7', 'ethernet 1/7']],
  ['arista-eos', login, 'Ethernet5', ['et5', 'Et 5', 'ETHERNET5']],
  ['arista-eapi', login, 'Ethernet5', ['et5', 'Eth 5', 'ethernet05']],
  ['dell-os10', login, 'ethernet1/1/1', ['Ethernet 1/1/1', 'eth1/1/1', 'ETHERNET1/1/1']],
  ['delln3000', withDummy, 'gi1/0/5', ['Gi1/0/5', 'GI 1/0/5']],
  ['powerconnect55xx', login, 'gi1/0/5', ['Gi1/0/5', 'gi 1/0/5']],
  ['junos', login, 'ge-0/0/0', ['GE-0/0/0', 'ge-0/0/0.0']],
  ['dellnos9', rest, '1/5', ['01/5', '1/05']],
  ['brocade', rest, '1/0/5', ['1/00/5', '01/0/05']],
];

/** What is no way to write a port, although a device may take it for one that is registered. */
const refused: readonly [string, object, readonly string[]][] = [
  ['powerconnect55xx', login, ['gi5', 'gi1/0/05', 'gi1/0/0/5']],
  ['delln3000', withDummy, ['gi5', 'gi01/5']],
  ['dell-os10', login, ['ethernet1', 'ethernet1/1', '1/1/1', 'ethernet1/1/01']],
  ['cisco-ios', withDummy, ['GigabitEthernet01/0/1', 'Gi1/0/1.0', '1/0/1']],
  ['junos', login, ['ge-00/0/0', 'ge-0/0/0.1', 'ge-0/0/0:00']],
  ['vde', login, ['01', '1.0', 'port 1']],
];

/** A port, others that are the same socket or a part of it, and one that is not. */
const sockets: readonly [string, object, string, readonly string[], string][] = [
  ['junos', login, 'xe-0/0/48', ['ge-0/0/48', 'et-0/0/48', 'mge-0/0/48', 'xe-0/0/48:1'], 'xe-0/0/4'],
  ['junos', login, 'xe-0/0/50:1', ['et-0/0/50', 'ge-0/0/50:1'], 'xe-0/0/50:2'],
  ['dell-os10', login, 'ethernet1/1/25', ['ethernet1/1/25:1', 'ethernet1/1/25:4'], 'ethernet1/1/2'],
  ['dell-os10', login, 'ethernet1/1/26:1', ['ethernet1/1/26'], 'ethernet1/1/26:2'],
  ['cisco-nxos', withDummy, 'Ethernet1/49', ['Ethernet1/49/1'], 'Ethernet1/4'],
  ['cisco-ios', withDummy, 'TenGigabitEthernet1/1/1', ['GigabitEthernet1/1/1', 'Fo1/1/1'], 'TenGigabitEthernet2/1/1'],
  ['cisco-ios', withDummy, 'GigabitEthernet1/0/2', [], 'TenGigabitEthernet1/0/2'],
  ['powerconnect55xx', login, 'gi1/0/12', ['gi1/12'], 'gi1/0/1'],
  ['delln3000', withDummy, 'gi1/12', ['gi1/0/12'], 'te1/0/12'],
  ['arista-eapi', login, 'Ethernet49/1', ['Ethernet49'], 'Ethernet49/2'],
  ['dellnos9', rest, '1/49', ['1/49/1'], '1/4'],
];

describe.each(engines)('one port of a switch on %s', (engine) => {
  const service = sharedService(engine);
  let count = 0;
  const makeSwitch = async (type: string, fields: object): Promise<string> => {
    const port = 20_000 + (count += 1);
    const reached = 'interface_type' in fields ? { hostname: `127.0.0.1:${port}` } : { port };
    await done(service().admin.put(`/switch/s${count}`, { type, ...fields, ...reached }));
    return `/switch/s${count}`;
  };
  const register = (on: string, port: string) => service().admin.put(`${on}/port/${enc(port)}`);

  it.each(spellings)('is one for every spelling: %s', async (type, fields, name, others) => {
    const on = await makeSwitch(type, fields);
    await done(register(on, name));
    for (const other of others)
      expectRefusal(await register(on, other), 'DuplicateError', `already has a port ${name}`);
    expect((await done(service().admin.get(on))).body).toMatchObject({ ports: [name] });
  });

  it.each(refused)('cannot be called what nobody can compare: %s', async (type, fields, names) => {
    const on = await makeSwitch(type, fields);
    for (const name of names) expectRefusal(await register(on, name), 'BadArgumentError', '"port"');
  });

  it.each(sockets)('is one for every name of its socket: %s %#', async (type, fields, name, others, apart) => {
    const on = await makeSwitch(type, fields);
    await done(register(on, name));
    for (const other of others) expectRefusal(await register(on, other), 'DuplicateError', `its port ${name}`);
    await done(register(on, apart));
  });

  it('takes no nic while another name of its socket is registered', async () => {
    const on = await makeSwitch('junos', login);
    await done(register(on, 'xe-0/0/1'));
    await done(register(on, 'xe-0/0/2'));
    // As it could be before anybody looked.
    const rename = "update ports set label = 'ge-0/0/1' where label = 'xe-0/0/2'";
    await runSql(service(), { sqlite: rename, postgres: rename });
    await done(service().admin.put('/node/n1', { obmd }));
    await done(service().admin.put('/node/n1/nic/eth0', { macaddr: '52:54:00:00:00:01' }));
    const nic = { node: 'n1', nic: 'eth0' };
    expectRefusal(
      await service().admin.post(`${on}/port/ge-0/0/1/connect_nic`, nic),
      'DuplicateError',
      'its port xe-0/0/1',
      'delete one of the two',
    );
  });
});
