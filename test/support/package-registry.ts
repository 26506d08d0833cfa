import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Installed {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

/** A registry of packages, for npm. */
export interface PackageRegistry {
  readonly url: string;
  /** The packages that somebody fetched, as `name@version`. */
  readonly fetched: ReadonlySet<string>;
  close(): Promise<void>;
}

/**
 * A registry on this machine with the packages that `npm ci` installed here, and no others: an installation is tried
 * whole, and needs no network.
 */
export const startPackageRegistry = async (): Promise<PackageRegistry> => {
  const packages = installedPackages();
  const fetched = new Set<string>();
  let url = '';
  const answer = (path: string, response: ServerResponse): void => {
    const [, name = '', version] = /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/([^/]+)\.tgz)?$/.exec(path) ?? [];
    const named = packages.filter((candidate) => candidate.name === name);
    if (version === undefined && named.length > 0) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(describe(named, url)));
      return;
    }
    const wanted = named.find((candidate) => candidate.version === version);
    if (wanted === undefined) {
      response.statusCode = 404;
      response.end('{}');
      return;
    }
    fetched.add(`${wanted.name}@${wanted.version}`);
    sendTarball(wanted, response);
  };
  const server = createServer((request, response) => answer(decodeURIComponent(request.url ?? ''), response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    fetched,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** By the lock; those for other machines are in the lock only. */
const installedPackages = (): Installed[] => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string; readonly link?: boolean }>>;
  };
  return Object.entries(packages).flatMap(([path, { version, link }]) => {
    const name = path.split('node_modules/').slice(1).at(-1);
    const folder = join(root, path);
    if (name === undefined || version === undefined || link === true || !existsSync(folder)) return [];
    return [{ name, version, folder: realpathSync(folder) }];
  });
};

/** What npm asks for first: every version with its manifest, and where its files are. */
const describe = (versions: readonly Installed[], url: string): object => ({
  name: versions[0]?.name,
  'dist-tags': { latest: versions[0]?.version },
  versions: Object.fromEntries(
    versions.map(({ name, version, folder }) => [
      version,
      {
        ...(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object),
        dist: { tarball: `${url}/${name}/-/${version}.tgz` },
      },
    ]),
  ),
});

const sendTarball = ({ folder }: Installed, response: ServerResponse): void => {
  const inside = basename(folder);
  const tar = spawn('tar', ['-c', `--exclude=${inside}/node_modules`, '-C', dirname(folder), inside], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  tar.stdout.pipe(response);
  tar.once('error', (error) => response.destroy(error));
};
