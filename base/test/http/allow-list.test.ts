import { describe, expect, it } from 'vitest';
import { AllowList } from '../../src/http/allow-list.ts';

const listOf = (...entries: readonly string[]): AllowList =>
  AllowList.from(entries, (entry) => {
    throw new Error(`${entry} is no entry`);
  });

describe('without a list', () => {
  const open = listOf();

  it.each([
    '10.0.0.7',
    '192.168.1.1',
    '127.0.0.1',
    '::1',
    '203.0.113.9',
    '2001:db8::7',
    'fd12:3456::1',
    'fec0::1',
    '64:ff9b::a00:7',
  ])('a connection may go to %s', (address) => expect(open.permits('bmc.example.org', address)).toBe(true));

  it.each([
    ['what a cloud tells its machines', '169.254.169.254'],
    ['the same as IPv4 in IPv6', '::ffff:169.254.169.254'],
    ['the same in hexadecimal digits', '::ffff:a9fe:a9fe'],
    ['the same with all its zeros', '0000:0000:0000:0000:0000:FFFF:A9FE:A9FE'],
    ['the same through a NAT64 gateway', '64:ff9b::a9fe:a9fe'],
    ['the same through one of its own prefix', '64:ff9b:1::a9fe:a9fe'],
    ['the same through one that puts it in the middle', '64:ff9b:1:a9fe:a9:fe00::'],
    ['the same through 6to4', '2002:a9fe:a9fe::1'],
    ['the same as a compatible address', '::a9fe:a9fe'],
    ['the same as a translated address', '::ffff:0:a9fe:a9fe'],
    ['the same through ISATAP', '2001:db8::5efe:a9fe:a9fe'],
    ['the same through Teredo', '2001:0:c000:201::5601:5601'],
    ['the same as the server of Teredo', '2001:0:a9fe:a9fe::1:1'],
    ['the same in brackets', '[::ffff:169.254.169.254]'],
    ['any other link-local address', '169.254.7.7'],
    ['a link-local address of IPv6', 'fe80::1'],
    ['a link-local address with its zone', 'fe80::1%eth0'],
    ['the end of the link-local ones', 'febf:ffff::1'],
    ['what a cloud tells over IPv6', 'fd00:ec2::254'],
    ['the same in long', 'fd00:0ec2:0:0:0:0:0:0254'],
    ['what other clouds tell', '100.100.100.200'],
    ['nowhere in particular', '0.0.0.0'],
    ['nowhere in particular, by another number', '0.1.2.3'],
    ['nowhere in particular, in IPv6', '::'],
    ['nowhere in particular, as IPv4 in IPv6', '::ffff:0.0.0.0'],
    ['a group', '224.0.0.1'],
    ['a group of IPv6', 'ff02::1'],
    ['everybody', '255.255.255.255'],
    ['what is no address', 'bmc.example.org'],
  ])('none may go to %s: %s', (_name, address) => expect(open.permits('bmc.example.org', address)).toBe(false));
});

describe('a list', () => {
  const list = listOf('10.0.0.0/8', '192.168.7.5', '2001:db8::/32', 'bmc.example.org', '*.racks.example.org');

  it.each([
    ['an address in a network of it', 'x', '10.255.0.1'],
    ['the same as IPv4 in IPv6', 'x', '::ffff:10.255.0.1'],
    ['the same in hexadecimal digits', 'x', '::ffff:aff:1'],
    ['an address of it', 'x', '192.168.7.5'],
    ['an address in a network of IPv6', 'x', '2001:db8:ffff::1'],
    ['a host of it, wherever that is', 'bmc.example.org', '203.0.113.9'],
    ['a host of it in capitals', 'BMC.Example.ORG', '203.0.113.9'],
    ['a host of it with the dot of the root', 'bmc.example.org.', '203.0.113.9'],
    ['a host below a name of it', 'r1.racks.example.org', '203.0.113.9'],
    ['a host far below a name of it', 'u7.r1.racks.example.org', '::1'],
  ])('permits %s', (_name, host, address) => expect(list.permits(host, address)).toBe(true));

  it.each([
    ['the address next to a network of it', 'x', '11.0.0.0'],
    ['the address next to an address of it', 'x', '192.168.7.6'],
    ['loopback, which it does not name', 'localhost', '127.0.0.1'],
    ['an address that is only like one of it', 'x', '::10.255.0.1'],
    ['one that a gateway carries to one of it', 'x', '64:ff9b::10.0.0.1'],
    ['a host whose name only ends like one of it', 'evil-bmc.example.org', '203.0.113.9'],
    ['a host whose name only begins like one of it', 'bmc.example.org.evil.example', '203.0.113.9'],
    ['the name itself that it has with a star', 'racks.example.org', '203.0.113.9'],
    ['a host below a name that it has without a star', 'r1.bmc.example.org', '203.0.113.9'],
    ['a host of it that is where nobody may go', 'bmc.example.org', '169.254.169.254'],
    ['the same as IPv4 in IPv6', 'bmc.example.org', '::ffff:169.254.169.254'],
  ])('does not permit %s', (_name, host, address) => expect(list.permits(host, address)).toBe(false));

  it('permits a dangerous address only if it names that, or a network among such', () => {
    for (const wide of ['0.0.0.0/0', '::/0', '169.0.0.0/8', 'fd00::/8', 'meta.example.org']) {
      expect(listOf(wide).permits('meta.example.org', '169.254.169.254'), wide).toBe(false);
      expect(listOf(wide).permits('meta.example.org', 'fd00:ec2::254'), wide).toBe(false);
    }
    for (const narrow of ['169.254.0.0/16', '169.254.169.0/24', '169.254.169.254']) {
      expect(listOf(narrow).permits('x', '169.254.169.254'), narrow).toBe(true);
      expect(listOf(narrow).permits('x', '::ffff:169.254.169.254'), narrow).toBe(true);
      expect(listOf(narrow).permits('x', '10.0.0.1'), narrow).toBe(false);
    }
    expect(listOf('169.254.7.0/24').permits('x', '169.254.169.254')).toBe(false);
    expect(listOf('fe80::/10').permits('x', 'fe80::1%eth0')).toBe(true);
  });

  it('keeps the two families apart', () => {
    expect(listOf('::/0').permits('x', '10.0.0.1')).toBe(false);
    expect(listOf('::/0').permits('x', '::ffff:10.0.0.1')).toBe(false);
    expect(listOf('0.0.0.0/0').permits('x', '2001:db8::1')).toBe(false);
    expect(listOf('0.0.0.0/0', '::/0').permits('x', '10.0.0.1')).toBe(true);
  });

  it('takes names in letters of their own', () => {
    expect(listOf('bücher.example').permits('xn--bcher-kva.example', '203.0.113.9')).toBe(true);
  });
});

describe('an entry', () => {
  it.each([
    '10.0.0.0/33',
    '2001:db8::/129',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0',
    '127.1',
    '0x7f.1',
    '2130706433',
    '010.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:10.0.0.0/104',
    '[2001:db8::1]',
    'fe80::1%eth0',
    'http://bmc.example.org',
    'bmc.example.org:8080',
    'bmc example',
    'bmc..example',
    '*',
    '*.',
    'a.*.example',
    '/8',
    '!10.0.0.1',
  ])('is not %s', (entry) => {
    const wrong: string[] = [];
    AllowList.from(['10.0.0.1', entry], (one) => wrong.push(one));
    expect(wrong).toEqual([entry]);
  });

  it.each(['bmc7', 'localhost', 'rack_1.example', '10.1.2.3/8', '::1', '::/0', '*.example'])('may be %s', (entry) => {
    expect(() => listOf(entry)).not.toThrow();
  });
});
