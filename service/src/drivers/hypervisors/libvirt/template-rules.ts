import { childrenOf, type Element } from '@corral/base/xml';

/**
 * What may stand in the definition of a template, by name; what is not here may not. A rule gives what is wrong with an
 * element, as it goes on after its name ("…: remove it"); null if nothing is. Every machine is a copy, so what is here
 * is what many projects can have at once without one of them noticing another.
 */
type Rule = (element: Element) => string | null;
export type Rules = Readonly<Record<string, Rule>>;

const fine: Rule = () => null;

/** These may be there. */
const all = (...names: readonly string[]): Rules => Object.fromEntries(names.map((name) => [name, fine]));

/** Only with one of these values, or without the attribute if `undefined` is among them. */
const only =
  (attribute: string, ...values: readonly (string | undefined)[]): Rule =>
  ({ attributes }) => {
    if (values.includes(attributes[attribute])) return null;
    const named = values.filter((value) => value !== undefined).map((value) => `${attribute}='${value}'`);
    return `only ${named.join(' or ')} is allowed`;
  };

/** The first thing that is wrong. */
const each =
  (...rules: readonly Rule[]): Rule =>
  (element) =>
    rules.map((rule) => rule(element)).find((wrong) => wrong !== null) ?? null;

const without =
  (why: string, ...names: readonly string[]): Rule =>
  (element) => {
    const found = names.find((name) => childrenOf(element, name).length > 0);
    return found === undefined ? null : `its <${found}> ${why}`;
  };

const withoutAttribute =
  (why: string, ...names: readonly string[]): Rule =>
  ({ attributes }) => {
    const found = names.find((name) => attributes[name] !== undefined);
    return found === undefined ? null : `its attribute ${found} ${why}`;
  };

/** A child that follows a rule of its own. */
const inside =
  (name: string, rule: Rule): Rule =>
  (element) => {
    const wrong = childrenOf(element, name)
      .map(rule)
      .find((one) => one !== null);
    return wrong === undefined ? null : `in its <${name}>, ${wrong}`;
  };

/** Anything of the host's that has a path: all machines would have the same. */
const noPaths: Rule = (element) => {
  const [name] = Object.entries(element.attributes).find(([, value]) => value.startsWith('/')) ?? [];
  if (name !== undefined) return `<${element.name} ${name}='…'> is a path on the hypervisor, which all would share`;
  return element.children.map(noPaths).find((wrong) => wrong !== null) ?? null;
};

const shared = 'would be shared by all headnodes';

/** Below `<domain>`. `os` and `devices` have rules of their own. */
export const domainRules: Rules = {
  ...all('name', 'uuid', 'genid', 'title', 'description', 'metadata', 'os', 'devices'),
  ...all('memory', 'currentMemory', 'maxMemory', 'memtune', 'numatune', 'vcpu', 'vcpus', 'cputune', 'resource'),
  ...all('iothreads', 'iothreadids', 'defaultiothread', 'cpu', 'features', 'clock', 'pm', 'perf'),
  ...all('on_poweroff', 'on_reboot', 'on_crash', 'on_lockfailure'),
  memoryBacking: each(
    inside('access', only('mode', 'private')),
    inside('source', only('type', 'anonymous', 'memfd', undefined)),
  ),
  sysinfo: only('type', 'smbios'),
  // A label of one's own keeps machines apart on the hypervisor; a fixed one, or none, does not.
  seclabel: each(only('type', 'dynamic', undefined), without(shared, 'label', 'imagelabel')),
};

/** Below `<os>`. What the firmware remembers (`nvram`) is created for every machine; a kernel is only read. */
export const osRules: Rules = {
  ...all('type', 'firmware', 'nvram', 'boot', 'bootmenu', 'smbios', 'bios', 'kernel', 'initrd', 'cmdline', 'dtb'),
  loader: (element) => {
    const { readonly, type } = element.attributes;
    return readonly === 'yes' || (type === 'rom' && readonly !== 'no') ? null : `only readonly='yes' is allowed`;
  },
};

const sealed = 'cannot be copied';
const ofFile = only('type', 'file', 'volume');

/** A disk that is copied, or that nobody can write to. */
const disk: Rule = (element) => {
  const { device = 'disk' } = element.attributes;
  const isReadOnly = device === 'cdrom' || childrenOf(element, 'readonly').length > 0;
  if (!['disk', 'cdrom', 'floppy'].includes(device)) return 'it is a device of the hypervisor';
  if (device === 'floppy' && !isReadOnly) return `it can be written to and ${shared}; give it <readonly/>`;
  return each(
    without(shared, 'shareable', 'transient'),
    without(sealed, 'encryption', 'auth'),
    inside('source', without(sealed, 'encryption', 'auth', 'reservations', 'dataStore')),
    withoutAttribute('opens the device of the hypervisor itself', 'rawio', 'sgio'),
    inside('driver', only('name', 'qemu', undefined)),
    isReadOnly ? ofFile : only('type', 'file', 'block', 'volume'),
  )(element);
};

/** libvirt chooses the path if there is none. */
const channel: Rule = each(
  only('type', 'unix', 'pty', 'null', 'spicevmc', 'qemu-vdagent'),
  inside('source', withoutAttribute(shared, 'path')),
);

/** Below `<devices>`. Network cards and screens are replaced, serial lines become terminals. */
export const deviceRules: Rules = {
  ...all('interface', 'graphics', 'serial', 'console', 'emulator'),
  disk,
  channel: each(
    channel,
    inside('log', () => 'is a file on the hypervisor'),
  ),
  parallel: each(only('type', 'pty', 'null'), noPaths),
  controller: each(only('type', 'usb', 'pci', 'scsi', 'ide', 'sata', 'fdc', 'virtio-serial', 'ccid'), noPaths),
  input: each(only('type', 'mouse', 'keyboard', 'tablet'), noPaths),
  video: each(inside('driver', only('name', 'qemu', undefined)), noPaths),
  sound: noPaths,
  audio: each(only('type', 'none', 'spice'), noPaths),
  rng: each(
    inside('backend', only('model', 'random', 'builtin')),
    inside('backend', (backend) => (backend.children.length > 0 ? 'an external source is not allowed' : null)),
  ),
  tpm: inside(
    'backend',
    each(
      only('type', 'emulator'),
      withoutAttribute('keeps the data of a headnode after it is deleted', 'persistent_state'),
      without(shared, 'source', 'encryption'),
    ),
  ),
  memory: each(only('model', 'dimm'), noPaths),
  // These go with the screen that they belong to.
  redirdev: only('type', 'spicevmc'),
  smartcard: only('type', 'spicevmc'),
  watchdog: noPaths,
  memballoon: noPaths,
  panic: noPaths,
  hub: noPaths,
  iommu: noPaths,
};
