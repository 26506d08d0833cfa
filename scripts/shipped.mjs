// What is shipped, by the lock: everything that the programs need, and nothing that only tests or tools do.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The workspaces that are in the packages of a release. */
export const shippedWorkspaces = ['base', 'obmd', 'service', 'client', 'console'];

/** As `name@version`. `npm sbom --omit=dev` leaves out what one workspace ships and another one only tests with. */
export const shippedPackages = () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));

  /** The nearest one above, as Node.js looks for it. */
  const located = (from, name) => {
    for (let folder = from; ; folder = folder === '.' ? '' : dirname(folder)) {
      const path = `${folder === '' || folder === '.' ? '' : `${folder}/`}node_modules/${name}`;
      const entry = packages[path];
      if (entry !== undefined) return entry.link ? entry.resolved : path;
      if (folder === '' || folder === '.') return undefined;
    }
  };

  const found = new Set();
  const walk = (path) => {
    if (found.has(path)) return;
    found.add(path);
    const { dependencies, optionalDependencies } = packages[path];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = located(path, name);
      if (next !== undefined) walk(next);
    }
  };
  for (const workspace of shippedWorkspaces) walk(workspace);
  return new Set(
    [...found].map((path) => {
      const { name = path.split('node_modules/').at(-1), version } = packages[path];
      return `${name}@${version}`;
    }),
  );
};
