import type { MachineSpec } from '../hypervisor-contract.ts';
import type { Definition, LibvirtHost } from './libvirt-host.ts';
import type { LibvirtOptions } from './libvirt-options.ts';
import { plainDomain } from './plain-domain.ts';
import type { Storage } from './storage-pool.ts';
import { objectionsTo } from './template-check.ts';
import { clonedDomain, disksOf } from './template-domain.ts';

/** What headnodes are made from: a domain with all its devices, or only a disk. */
type Image =
  | { readonly kind: 'domain'; readonly name: string; readonly definition: Definition }
  | { readonly kind: 'volume'; readonly name: string };

const volumeNamesOf = (image: string): readonly string[] => [image, `${image}.qcow2`];

/** Which of these images are there. */
export const imagesOn = async (
  host: LibvirtHost,
  storage: Storage,
  wanted: readonly string[],
): Promise<readonly string[]> => {
  const domains = await host.lines('list', '--all', '--name');
  const among = (volumes: readonly string[]): readonly string[] =>
    wanted.filter((image) => domains.includes(image) || volumeNamesOf(image).some((name) => volumes.includes(name)));
  const known = among(await storage.names());
  if (known.length === wanted.length) return known;
  return among(await storage.refreshed());
};

/** Finds an image; a domain goes before a volume of its name. */
export const findImage = async (host: LibvirtHost, storage: Storage, image: string): Promise<Image> => {
  const state = await host.stateOf(image);
  if (state === 'shut off') {
    return { kind: 'domain', name: image, definition: await fitTemplate(host, image) };
  }
  // What is being written to is not fit to be copied.
  if (state !== null) throw new Error(`image ${image} is a machine that is on; ask an administrator to shut it off`);
  const find = (volumes: readonly string[]): string | undefined =>
    volumeNamesOf(image).find((candidate) => volumes.includes(candidate));
  const name = find(await storage.names()) ?? find(await storage.refreshed());
  if (name === undefined) throw new Error(`image ${image} no longer exists; ask an administrator to restore it`);
  return { kind: 'volume', name };
};

const templateOn = (host: LibvirtHost, image: string): Promise<Definition> =>
  host.read('dumpxml', '--inactive', '--domain', image);

const fitTemplate = async (host: LibvirtHost, image: string): Promise<Definition> => {
  const definition = await templateOn(host, image);
  const objections = objectionsTo(definition.root);
  if (objections.length === 0) return definition;
  throw new Error(
    `image ${image} has parts that headnodes of different projects would share: ${objections.join('; ')}; ask an administrator to remove them from the template, or to offer another image`,
  );
};

/** Throws if the image is a template with something in it that may not be there. */
export const requireFit = async (host: LibvirtHost, image: string): Promise<void> => {
  if ((await host.stateOf(image)) !== null) await fitTemplate(host, image);
};

/** What is wrong with templates among these images, one line each. */
export const unfitImages = async (host: LibvirtHost, wanted: readonly string[]): Promise<readonly string[]> => {
  const domains = await host.lines('list', '--all', '--name');
  const wrong: string[] = [];
  for (const image of wanted.filter((one) => domains.includes(one))) {
    const objections = objectionsTo((await templateOn(host, image)).root);
    if (objections.length === 0) continue;
    wrong.push(
      `images: the template ${image} has parts that headnodes of different projects would share: ${objections.join('; ')}. Remove them (virsh edit ${image}), or leave the image out of the setting`,
    );
  }
  return wrong;
};

interface Making {
  readonly host: LibvirtHost;
  readonly storage: Storage;
  readonly options: LibvirtOptions;
  readonly machine: MachineSpec;
  /** Told of every disk that is made. */
  readonly made: () => void;
}

/** Makes the disks of a machine and gives its definition. */
export const definitionFrom = async (image: Image, making: Making): Promise<string> => {
  const { host, storage, options, machine, made } = making;
  if (image.kind === 'volume') {
    const copy = await storage.copy(await storage.original(image.name), machine.uuid, 0);
    made();
    return plainDomain(host, machine, copy, options);
  }
  const copies = [];
  for (const original of await disksOf(host, image.name, image.definition)) {
    copies.push(await storage.copy(original, machine.uuid, copies.length));
    made();
  }
  return clonedDomain(image.definition, machine, copies, options);
};
