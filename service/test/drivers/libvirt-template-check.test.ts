import { parseXml } from '@corral/base/libvirt/libvirt-xml';
import { describe, expect, it } from 'vitest';
import { objectionsTo } from '../../src/drivers/hypervisors/libvirt/template-check.ts';

const domain = ({ top = '', os = '', devices = '' }): string =>
  `<domain type='kvm' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'><name>t</name>${top}
   <os><type arch='x86_64' machine='q35'>hvm</type>${os}</os><devices>${devices}</devices></domain>`;
const objections = (parts: Parameters<typeof domain>[0]) => objectionsTo(parseXml(domain(parts)));
const disk = (inside: string, attributes = "type='file' device='disk'"): string =>
  `<disk ${attributes}><driver name='qemu' type='qcow2'/><source file='/i/t.qcow2'/><target dev='vda' bus='virtio'/>${inside}</disk>`;

/** As virt-install makes it, and libvirt shows it. */
const usual = domain({
  top: `<uuid>u</uuid><metadata><libosinfo:libosinfo xmlns:libosinfo='http://libosinfo.org'><libosinfo:os id='x'/></libosinfo:libosinfo></metadata>
    <memory unit='KiB'>2097152</memory><currentMemory unit='KiB'>2097152</currentMemory>
    <memoryBacking><hugepages/><nosharepages/></memoryBacking>
    <vcpu placement='static'>2</vcpu><sysinfo type='smbios'><system><entry name='serial'>s</entry></system></sysinfo>
    <features><acpi/><apic/><smm state='on'/></features><cpu mode='host-passthrough' check='none'/>
    <clock offset='utc'><timer name='rtc' tickpolicy='catchup'/></clock>
    <on_poweroff>destroy</on_poweroff><on_reboot>restart</on_reboot><on_crash>destroy</on_crash>
    <pm><suspend-to-mem enabled='no'/></pm><seclabel type='dynamic' model='apparmor' relabel='yes'/>`,
  os: `<loader readonly='yes' secure='yes' type='pflash'>/usr/share/OVMF/OVMF_CODE.fd</loader>
    <nvram template='/usr/share/OVMF/OVMF_VARS.fd'>/var/lib/libvirt/qemu/nvram/t_VARS.fd</nvram><boot dev='hd'/>`,
  devices: `<emulator>/usr/bin/qemu-system-x86_64</emulator>
    ${disk('')}${disk("<boot order='1'/>", "type='block' device='disk'")}${disk('', "type='volume'")}
    ${disk('<readonly/>', "type='file' device='cdrom'")}${disk('<readonly/>', "type='file' device='floppy'")}
    <controller type='usb' model='qemu-xhci'/><controller type='pci' model='pcie-root'/><controller type='virtio-serial'/>
    <interface type='network'><mac address='52:54:00:00:00:01'/><source network='default'/><rom file='/x'/></interface>
    <serial type='file'><source path='/log'/></serial><console type='pty'/>
    <channel type='unix'><target type='virtio' name='org.qemu.guest_agent.0'/></channel>
    <channel type='spicevmc'><target type='virtio' name='com.redhat.spice.0'/></channel>
    <input type='tablet' bus='usb'/><tpm model='tpm-crb'><backend type='emulator' version='2.0'/></tpm>
    <graphics type='spice' listen='0.0.0.0'/><sound model='ich9'/><audio id='1' type='spice'/>
    <video><model type='qxl'/></video><redirdev bus='usb' type='spicevmc'/><watchdog model='itco' action='reset'/>
    <memballoon model='virtio'/><rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>`,
});

it('a template as tools make it may be used', () => {
  expect(objectionsTo(parseXml(usual))).toEqual([]);
});

describe('a template may not have', () => {
  it.each([
    ['<filesystem type="mount">', `<filesystem type='mount'><source dir='/srv'/><target dir='s'/></filesystem>`],
    ['<shmem>', `<shmem name='m'><model type='ivshmem-plain'/></shmem>`],
    ['<hostdev type="pci">', `<hostdev mode='subsystem' type='pci'/>`],
    ['<disk type="file" device="floppy">', disk('', "type='file' device='floppy'")],
    ['<disk type="file" device="disk">', disk('<shareable/>')],
    ['<disk type="file" device="disk">', disk("<transient shareBacking='yes'/>")],
    ['<disk type="file" device="disk">', disk("<encryption format='luks'/>")],
    ['<disk type="block" device="lun">', disk('', "type='block' device='lun'")],
    ['<disk type="block" device="cdrom">', disk('<readonly/>', "type='block' device='cdrom'")],
    ['<disk type="dir" device="disk">', disk('<readonly/>', "type='dir' device='disk'")],
    ['<disk type="network" device="disk">', disk('', "type='network' device='disk'")],
    ['<disk type="vhostuser" device="disk">', disk('', "type='vhostuser' device='disk'")],
    ['<disk type="block" device="disk">', disk('', "type='block' device='disk' rawio='yes'")],
    ['<channel type="unix">', `<channel type='unix'><source mode='bind' path='/run/s'/></channel>`],
    ['<channel type="tcp">', `<channel type='tcp'><source mode='connect' host='127.0.0.1' service='1'/></channel>`],
    ['<parallel type="dev">', `<parallel type='dev'><source path='/dev/parport0'/></parallel>`],
    [
      '<redirdev type="tcp">',
      `<redirdev bus='usb' type='tcp'><source mode='connect' host='h' service='1'/></redirdev>`,
    ],
    ['<smartcard>', `<smartcard mode='host'/>`],
    ['<input type="passthrough">', `<input type='passthrough'><source evdev='/dev/input/event1'/></input>`],
    ['<input type="evdev">', `<input type='evdev'><source dev='/dev/input/event1'/></input>`],
    [
      '<rng model="virtio">',
      `<rng model='virtio'><backend model='egd' type='tcp'><source mode='connect'/></backend></rng>`,
    ],
    [
      '<tpm model="tpm-tis">',
      `<tpm model='tpm-tis'><backend type='passthrough'><device path='/dev/tpm0'/></backend></tpm>`,
    ],
    ['<tpm model="tpm-tis">', `<tpm model='tpm-tis'><backend type='emulator' persistent_state='yes'/></tpm>`],
    [
      '<tpm model="tpm-tis">',
      `<tpm model='tpm-tis'><backend type='emulator'><source type='dir' path='/t'/></backend></tpm>`,
    ],
    ['<memory model="nvdimm">', `<memory model='nvdimm'><source><path>/n</path></source></memory>`],
    ['<vsock model="virtio">', `<vsock model='virtio'><cid auto='no' address='3'/></vsock>`],
    ['<video>', `<video><driver name='vhostuser'/><model type='virtio'/></video>`],
    ['<audio type="file">', `<audio id='1' type='file' path='/a.wav'/>`],
    ['<pstore>', `<pstore backend='acpi-erst'><path>/p</path></pstore>`],
    ['<lease>', `<lease><lockspace>l</lockspace></lease>`],
    ['<crypto type="qemu" model="virtio">', `<crypto model='virtio' type='qemu'/>`],
    ['<tomorrow>', '<tomorrow/>'],
  ])('the device %s: %s', (name, devices) => {
    expect(objections({ devices }).map((one) => one.split(': ')[0])).toEqual([name.replaceAll('"', "'")]);
  });

  it.each([
    ['<qemu:commandline>', `<qemu:commandline><qemu:arg value='-fsdev'/></qemu:commandline>`],
    ['<qemu:override>', `<qemu:override/>`],
    ['<memoryBacking>', `<memoryBacking><source type='memfd'/><access mode='shared'/></memoryBacking>`],
    ['<memoryBacking>', `<memoryBacking><source type='file'/></memoryBacking>`],
    ['<launchSecurity type="sev">', `<launchSecurity type='sev'/>`],
    ['<sysinfo type="fwcfg">', `<sysinfo type='fwcfg'><entry name='opt/x' file='/f'/></sysinfo>`],
    ['<seclabel type="static" model="selinux">', `<seclabel type='static' model='selinux'><label>l</label></seclabel>`],
    ['<seclabel type="none">', `<seclabel type='none'/>`],
    ['<idmap>', `<idmap/>`],
  ])('%s', (name, top) => {
    expect(objections({ top }).map((one) => one.split(': ')[0])).toEqual([name.replaceAll('"', "'")]);
  });

  it('firmware that it writes to, or tables of its own', () => {
    for (const os of [
      `<loader type='pflash'>/f.fd</loader>`,
      `<loader type='rom' readonly='no'>/f.fd</loader>`,
      '<acpi/>',
    ])
      expect(objections({ os })).toHaveLength(1);
  });

  it('any of it without being given where it leads to, and not without end', () => {
    const devices = `<filesystem><source dir='/srv/secret'/></filesystem>`.repeat(50);
    const told = objections({ devices });
    expect(told).toHaveLength(10);
    expect(told.join()).not.toContain('/srv');
  });
});
