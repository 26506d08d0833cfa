import { childrenOf, escapeXml, textAt } from '@corral/base/xml';
import { isBusy, isNoVolume } from './hypervisor-faults.ts';
import type { LibvirtHost } from './libvirt-host.ts';
import { ownerOf, type VolumeFormat, volumeName } from './machine-names.ts';
import { retryFor } from './retry-for.ts';
import { withZeros } from './zero-file.ts';

/** A disk that copies are made of. */
export interface Original {
  readonly path: string;
  readonly format: string;
  /** In bytes, as the machine sees it. */
  readonly capacity: string;
}

/** A disk of a headnode. */
export interface Copy {
  readonly path: string;
  readonly format: VolumeFormat;
  /** How a domain refers to it. */
  readonly kind: 'file' | 'block';
}

/** Kinds of pools whose volumes are files, so that one can stand on another (copy on write). */
const ofFiles: readonly string[] = ['dir', 'fs', 'netfs', 'vstorage'];
const ofBlocks: readonly string[] = ['logical', 'disk', 'iscsi', 'iscsi-direct', 'scsi', 'mpath', 'zfs'];
/** A whole disk is written. */
const copyTimeoutMs = 600_000;
/** A process that died here may have left libvirt working on it. */
const retryForMs = 30_000;

/** The storage pool that headnodes have their disks in. */
export class Storage {
  readonly #host: LibvirtHost;
  readonly #pool: string;

  constructor(host: LibvirtHost, pool: string) {
    this.#host = host;
    this.#pool = pool;
  }

  /** The names of all volumes. */
  async names(): Promise<readonly string[]> {
    const lines = await this.#host.lines('vol-list', '--pool', this.#pool);
    // A name may hold single spaces; two of them stand before the path.
    return lines.map((line) => (/\s{2}\S/.test(line) ? (line.split(/\s{2}/, 1)[0] ?? line) : line));
  }

  /** Their names, with those that were put there behind libvirt's back. It cannot look while it copies. */
  async refreshed(): Promise<readonly string[]> {
    try {
      await this.#host.run(['pool-refresh', '--pool', this.#pool]);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    return this.names();
  }

  /** A volume as an original. */
  async original(name: string): Promise<Original> {
    const { root } = await this.#host.read('vol-dumpxml', '--pool', this.#pool, '--vol', name);
    const [target] = childrenOf(root, 'target');
    return {
      path: textAt(target, 'path') ?? '',
      format: childrenOf(target, 'format')[0]?.attributes['type'] ?? 'raw',
      capacity: textAt(root, 'capacity') ?? '',
    };
  }

  /** Makes a disk of a machine: at once as a layer above the original if the pool can, else as a copy of it all. */
  async copy(original: Original, uuid: string, number: number): Promise<Copy> {
    const kind = await this.#kind();
    const isFile = ofFiles.includes(kind);
    if (!isFile && !ofBlocks.includes(kind)) {
      throw new Error(`the storage pool for headnodes is of the kind "${kind}", which cannot hold their disks`);
    }
    const format = isFile ? 'qcow2' : 'raw';
    const name = volumeName(uuid, number, format);
    const pool = ['--pool', this.#pool];
    if (isFile) await this.#host.hand(['vol-create', ...pool], volumeXml(name, original, format, original));
    else {
      const from = ['--inputpool', await this.#poolOf(original), '--vol', original.path];
      await this.#host.hand(
        ['vol-create-from', ...pool, ...from],
        volumeXml(name, original, format, null),
        copyTimeoutMs,
      );
      await this.#clearBeyond(name, original);
    }
    const path = (await this.#host.run(['vol-path', ...pool, '--vol', name])).trim();
    return { path, format, kind: isFile ? 'file' : 'block' };
  }

  /** Deletes the disks of a machine, complete or not; `deleted` is called for each. */
  async deleteAll(uuid: string, deleted: () => void): Promise<void> {
    for (const name of await this.refreshed()) {
      if (ownerOf(name) !== uuid) continue;
      await retryFor(retryForMs, isBusy, async () => {
        try {
          await this.#host.run(['vol-delete', '--pool', this.#pool, '--vol', name]);
        } catch (error) {
          if (!isNoVolume(error)) throw error;
        }
      });
      deleted();
    }
  }

  /**
   * Such a pool makes volumes of whole extents, and what is behind the copy is what was on the disk before: perhaps
   * what another headnode wrote there.
   */
  async #clearBeyond(name: string, original: Original): Promise<void> {
    const [end, size] = [Number(original.capacity), Number((await this.original(name)).capacity)];
    if (size <= end) return;
    const volume = ['--pool', this.#pool, '--vol', name, '--offset', String(end)];
    await withZeros(size - end, (file) => this.#host.run(['vol-upload', ...volume, '--file', file], copyTimeoutMs));
  }

  async #kind(): Promise<string> {
    const { root } = await this.#host.read('pool-dumpxml', '--pool', this.#pool);
    return root.attributes['type'] ?? '';
  }

  async #poolOf({ path }: Original): Promise<string> {
    try {
      return (await this.#host.run(['vol-pool', '--vol', path])).trim();
    } catch (error) {
      if (!isNoVolume(error)) throw error;
      throw new Error('a disk of the image is in no storage pool; ask an administrator to move it into one', {
        cause: error,
      });
    }
  }
}

const volumeXml = (name: string, { capacity }: Original, format: VolumeFormat, below: Original | null): string =>
  `<volume>
  <name>${escapeXml(name)}</name>
  <capacity unit='bytes'>${escapeXml(capacity)}</capacity>
  <target><format type='${format}'/></target>
  ${below ? `<backingStore><path>${escapeXml(below.path)}</path><format type='${escapeXml(below.format)}'/></backingStore>` : ''}
</volume>`;
