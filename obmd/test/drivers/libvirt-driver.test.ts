import { defineParrot, hasPart, type LabLibvirt, type LabParrot, startLibvirt } from '@corral/lab';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Bmc } from '../../src/drivers/bmc-contract.ts';
import { faultFrom, notInstalled } from '../../src/drivers/libvirt/libvirt-bmc-faults.ts';
import { libvirtBmc } from '../../src/drivers/libvirt-driver.ts';
import { type Terminal, terminalOn } from '../support/console.ts';
import { deferred } from '../support/deferred.ts';
import { anywhere } from '../support/obmd-outbound.ts';
import { fits } from '../support/fits.ts';

const amply = () => AbortSignal.timeout(30_000);

describe('the info of a libvirt BMC', () => {
  const isTaken = (uri: string, domain = 'n1') => fits(libvirtBmc.info, { uri, domain });

  it.each([
    'qemu:///system',
    'qemu:///session',
    'qemu+unix:///system?socket=/run/other/libvirt-sock',
    'qemu+ssh://corral@hv1.example.org/system',
    'qemu+ssh://corral@hv1:2222/system?keyfile=/etc/corral/id_ed25519',
    'qemu+tls://[fd00::1]/system',
    'test:///default',
  ])('may have the URI %s', (uri) => expect(isTaken(uri)).toBe(true));

  it.each([
    '',
    'xen:///system',
    'qemu+ext:///system?command=/bin/evil',
    'qemu+ssh://hv1/system?command=/bin/evil',
    'qemu+ssh://hv1/system?keyfile=/k&netcat=/bin/evil',
    'qemu+ssh://-oProxyCommand=evil/system',
    'qemu+ssh://-l@hv1/system',
    'qemu:///system --help',
    'qemu:///system\nqemu:///session',
    '-c',
  ])('may not have the URI "%s"', (uri) => expect(isTaken(uri)).toBe(false));

  it('takes names and UUIDs of domains, but no options, and nothing that could be the number of another', () => {
    for (const domain of ['n1', '2nd', 'node_1.example.org', '3e0f1d4e-36a7-4b5c-8f3a-0d5b7a1c9e11']) {
      expect(isTaken('qemu:///system', domain)).toBe(true);
    }
    for (const domain of ['', '-n1', '--all', '7', '12345', 'a b', 'a\nb', 'a;b', 'ä']) {
      expect(isTaken('qemu:///system', domain)).toBe(false);
    }
  });
});

describe('what virsh says', () => {
  it.each([
    ["error: failed to get domain 'n9'", 'failed', 'domain of this machine does not exist'],
    [
      "error: failed to connect to the hypervisor\nerror: Failed to connect socket to '/run/libvirt/libvirt-sock': Permission denied",
      'credentials',
      'denies access to this daemon',
    ],
    [
      'error: failed to connect to the hypervisor\nerror: authentication unavailable: no polkit agent available',
      'credentials',
      'denies access to this daemon',
    ],
    [
      'error: failed to connect to the hypervisor\nerror: Cannot recv data: Host key verification failed.: Connection reset by peer',
      'credentials',
      'denies access to this daemon',
    ],
    [
      "error: failed to connect to the hypervisor\nerror: Failed to connect socket to '/run/libvirt/libvirt-sock': No such file or directory",
      'unreachable',
      'does not answer',
    ],
    ['error: internal error: character device console0 is not using a PTY', 'unsupported', '<serial type="pty">'],
    [
      "error: Failed to start domain 'n1'\nerror: Cannot access storage file '/d.qcow2': Permission denied",
      'failed',
      'could not start',
    ],
    ['error: something else', 'failed', 'tell an administrator'],
  ])('becomes a sentence: %s', (said, fault, sentence) => {
    const error = faultFrom('start', said);
    expect(error.fault).toBe(fault);
    expect(error.message).toContain(sentence);
    expect(error.message).not.toMatch(/\/run|\/d\.qcow2|hypervisor\n/);
    expect(error.cause).toMatchObject({ message: expect.stringContaining(said) as string });
  });

  it('is nothing if it is not installed, and the package is named', () => {
    expect(notInstalled(new Error('spawn virsh ENOENT')).message).toContain('libvirt-clients');
  });
});

describe.skipIf(!hasPart('libvirt'))('a virtual machine of libvirt', () => {
  let libvirt: LabLibvirt;
  let machine: LabParrot;
  let bmc: Bmc;
  const terminals: Terminal[] = [];
  const open = async (from: Bmc = bmc): Promise<Terminal> => {
    if (!from.openConsole) throw new Error('it has no console');
    const terminal = terminalOn(await from.openConsole(amply()));
    terminals.push(terminal);
    return terminal;
  };
  const bmcOf = (domain: string): Bmc => libvirtBmc.bmcOf({ uri: libvirt.uri, domain }, anywhere);
  /** The machine says it until it is heard: how soon a console is there after a start is QEMU's business. */
  const expectHeard = (terminal: Terminal, text: string): Promise<void> =>
    vi.waitFor(
      async () => {
        await machine.say(text);
        await vi.waitFor(() => expect(terminal.heard()).toContain(text), { timeout: 500 });
      },
      { timeout: 20_000 },
    );

  beforeAll(async () => {
    libvirt = await startLibvirt();
    machine = await defineParrot(
      libvirt,
      'n1',
      "<interface type='user'><mac address='52:54:00:00:00:01'/><model type='virtio'/></interface>",
    );
    bmc = bmcOf('n1');
  });
  afterEach(async () => {
    await Promise.all(terminals.splice(0).map((terminal) => terminal.close()));
  });
  afterAll(() => libvirt.stop());

  it('boots from what was set, from the next start on', async () => {
    const booted = async (): Promise<readonly (string | undefined)[]> =>
      [...(await libvirt.virsh('dumpxml', 'n1')).matchAll(/<boot dev='(\w+)'\/>/g)].map(([, kind]) => kind);
    await machine.setPower('off');
    await bmc.powerOn(amply());
    await bmc.setBootDevice('pxe', amply());
    expect(await booted()).toEqual(['hd']);
    await bmc.powerCycle(amply());
    expect(await booted()).toEqual(['network', 'hd']);
    await bmc.setBootDevice('none', amply());
    await bmc.powerCycle(amply());
    expect(await booted()).toEqual(['hd']);
  });

  it('keeps the rest of its definition, with the passwords in it', async () => {
    await defineParrot(libvirt, 'n2', "<graphics type='vnc' autoport='yes' passwd='s3cret'/>");
    const before = await libvirt.virsh('dumpxml', '--inactive', '--security-info', 'n2');
    await bmcOf('n2').setBootDevice('pxe', amply());
    const during = await libvirt.virsh('dumpxml', '--inactive', '--security-info', 'n2');
    expect(during).toContain("passwd='s3cret'");
    expect(during).toContain("<boot dev='network'/>");
    await bmcOf('n2').setBootDevice('none', amply());
    const after = await libvirt.virsh('dumpxml', '--inactive', '--security-info', 'n2');
    expect(after.replace(/\s*<metadata>\s*<\/metadata>|\s*<metadata\/>/, '')).toBe(before);
  });

  it('has the order in its devices changed, if that is how it boots', async () => {
    const disk = "<disk type='file' device='disk'><source file='/n3.img'/><target dev='vda'/><boot order='1'/></disk>";
    await defineParrot(libvirt, 'n3', `${disk}<interface type='user'><model type='virtio'/></interface>`);
    const orders = async (): Promise<readonly (string | undefined)[]> => {
      const xml = await libvirt.virsh('dumpxml', '--inactive', 'n3');
      return ['disk', 'interface'].map((kind) => {
        const device = new RegExp(`<${kind} [^]*?</${kind}>`).exec(xml)?.[0] ?? '';
        return /<boot order='(\d+)'/.exec(device)?.[1];
      });
    };
    await bmcOf('n3').setBootDevice('pxe', amply());
    expect(await orders()).toEqual(['2', '1']);
    await bmcOf('n3').setBootDevice('disk', amply());
    expect(await orders()).toEqual(['1', undefined]);
    await bmcOf('n3').setBootDevice('pxe', amply());
    await bmcOf('n3').setBootDevice('none', amply());
    expect(await orders()).toEqual(['1', undefined]);
  });

  describe.each(['', "<boot order='1'/>"])('started once from the network, with "%s" in its disk', (order) => {
    const name = order === '' ? 'once-1' : 'once-2';
    const indexOf = async (device: string): Promise<unknown> => {
      const get = { path: `/machine/peripheral/${device}`, property: 'bootindex' };
      const said = await libvirt.virsh(
        'qemu-monitor-command',
        name,
        JSON.stringify({ execute: 'qom-get', arguments: get }),
      );
      return (JSON.parse(said) as { return: unknown }).return;
    };
    const definition = async (): Promise<string> =>
      (await libvirt.virsh('dumpxml', '--inactive', name)).replace(/\s*<metadata>\s*<\/metadata>|\s*<metadata\/>/, '');
    beforeAll(async () => {
      await libvirt.pool(name);
      await libvirt.virsh('vol-create-as', name, 'disk', '8M', '--format', 'qcow2');
      const file = (await libvirt.virsh('vol-path', '--pool', name, 'disk')).trim();
      const disk = `<disk type='file' device='disk'><driver name='qemu' type='qcow2'/><source file='${file}'/><target dev='vda' bus='virtio'/>${order}</disk>`;
      await defineParrot(libvirt, name, `${disk}<interface type='user'><model type='virtio'/></interface>`);
    });
    afterAll(() => libvirt.virsh('destroy', name));

    it('keeps its definition, and does not go back there when it restarts itself', async () => {
      const before = await definition();
      const one = bmcOf(name);
      await one.setNextBoot?.('pxe', amply());
      await one.powerOn(amply());
      // What it was started with; what the machine's own restarts read; what the next start reads.
      expect(await libvirt.log(name)).toMatch(/virtio-net-pci[^\n]*"bootindex":1/);
      expect([await indexOf('net0'), await indexOf('virtio-disk0')]).toEqual([-1, 1]);
      expect(await definition()).toBe(before);
    });
  });

  it('goes on when it is paused and turned on', async () => {
    await machine.setPower('on');
    await libvirt.virsh('suspend', 'n1');
    expect(await bmc.powerStatus(amply())).toBe('on');
    await bmc.powerOn(amply());
    expect((await libvirt.virsh('domstate', 'n1')).trim()).toBe('running');
  });

  it('turns itself off when it is asked to, and may be asked when it is off', async () => {
    await machine.setPower('on');
    await bmc.askToShutDown?.(amply());
    await vi.waitFor(async () => expect(await machine.power()).toBe('off'), { timeout: 10_000 });
    await bmc.askToShutDown?.(amply());
  });

  it('that is not known is a failure with a way out', async () => {
    await expect(bmcOf('nobody').powerOn(amply())).rejects.toMatchObject({
      fault: 'failed',
      message: expect.stringContaining('register the node again') as string,
    });
    await expect(bmcOf('nobody').openConsole?.(amply())).rejects.toMatchObject({ fault: 'failed' });
  });

  it('is out of reach when its libvirt is', async () => {
    const uri = 'qemu+unix:///system?socket=/nonexistent/libvirt-sock';
    const lost = libvirtBmc.bmcOf({ uri, domain: 'n1' }, anywhere);
    await expect(lost.powerStatus(amply())).rejects.toMatchObject({ fault: 'unreachable' });
  });

  describe('its console', () => {
    it('shows what the machine says and nothing else, every byte of it', async () => {
      await machine.setPower('on');
      const terminal = await open();
      const all = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join('');
      await machine.say(all);
      await terminal.hears(all);
      expect(terminal.heard()).toBe(all);
    });

    it('lets every byte be typed but zero, also those that end other programs', async () => {
      await machine.setPower('off');
      await machine.setPower('on');
      const terminal = await open();
      const bytes = Array.from({ length: 255 }, (_, byte) => String.fromCharCode(byte + 1));
      terminal.stream.write(Buffer.from('\0\u001d\u001d', 'latin1'));
      for (const byte of ['\0', '\u0003', '\u001c', '\u001d', '\0']) terminal.stream.write(Buffer.from(byte, 'latin1'));
      terminal.stream.write(Buffer.from(bytes.join(''), 'latin1'));
      const expected = `\u001d\u001d\u0003\u001c\u001d${bytes.join('')}`;
      await vi.waitFor(async () => expect(await machine.typed()).toBe(expected), { timeout: 10_000 });
      expect(terminal.isClosed).toBe(false);
    });

    it('takes more at once than fits into a line', async () => {
      await machine.setPower('off');
      await machine.setPower('on');
      const terminal = await open();
      const much = 'all work and no play\r'.repeat(1_000);
      terminal.type(much);
      await vi.waitFor(async () => expect(await machine.typed()).toBe(much), { timeout: 20_000, interval: 200 });
    });

    it('stays when the machine is turned off and on', async () => {
      await machine.setPower('on');
      const terminal = await open();
      await bmc.powerCycle(amply());
      await expectHeard(terminal, 'after the cycle');
      await bmc.powerOff(amply());
      await bmc.powerOn(amply());
      await expectHeard(terminal, 'on again');
      expect(terminal.isClosed).toBe(false);
    });

    it('can be opened before the machine is turned on', async () => {
      await machine.setPower('off');
      const terminal = await open();
      terminal.type('nobody there\r');
      await bmc.powerOn(amply());
      await expectHeard(terminal, 'good morning');
    });

    it('ends for the client that loses it', async () => {
      await machine.setPower('on');
      const before = await deferred();
      const left = await open();
      const taken = await open();
      await vi.waitFor(() => expect(left.isClosed).toBe(true), { timeout: 10_000 });
      await expectHeard(taken, 'mine now');
      await taken.close();
      expect((await deferred()).children.filter((pid) => !before.children.includes(pid))).toEqual([]);
    });

    it('of a machine that is off leaves nothing behind either', async () => {
      await machine.setPower('off');
      const before = await deferred();
      await (await open()).close();
      expect((await deferred()).children.filter((pid) => !before.children.includes(pid))).toEqual([]);
    });
  });
});
