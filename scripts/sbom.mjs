// Writes a CycloneDX list of everything that is shipped. `npm run sbom [-- FILE]`
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { shippedPackages } from './shipped.mjs';

const file = process.argv[2] ?? 'dist/corral.cdx.json';

// From the lock: the same on every machine, with what is optional on any.
const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
const { stdout, stderr, status, error } = spawnSync('npm', args, { encoding: 'utf8', maxBuffer: 1 << 28 });
if (error) throw error;
if (status !== 0) {
  console.error(`sbom: npm sbom failed: ${stderr.trim().split('\n').at(-1)}`);
  process.exit(1);
}

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const { metadata, components, dependencies, ...rest } = JSON.parse(stdout);
const shipped = shippedPackages();
const isShipped = (ref) => shipped.has(ref);
const root = metadata.component['bom-ref'];
/** Our own workspaces have no version of their own: they are what the release is. */
const released = (ref) => ref.replace(/^((?:pkg:npm\/%40|@)corral\/\w+)@0\.0\.0$/, `$1@${version}`);
const ofRelease = (component) => ({
  ...component,
  'bom-ref': released(component['bom-ref']),
  version: component['bom-ref'] === released(component['bom-ref']) ? component.version : version,
  purl: released(component.purl),
});
const list = {
  ...rest,
  // npm calls the whole after the folder that it is in.
  metadata: { ...metadata, component: { ...metadata.component, name, version } },
  components: components
    .filter((component) => isShipped(component['bom-ref']))
    // Where this machine fetches packages from is nobody's business; the purl and the hashes say what they are.
    .map(({ externalReferences = [], ...component }) => ({
      ...ofRelease(component),
      externalReferences: externalReferences.filter(({ type }) => type !== 'distribution'),
    })),
  dependencies: dependencies
    .filter(({ ref }) => ref === root || isShipped(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref: released(ref), dependsOn: dependsOn.filter(isShipped).map(released) })),
};
const missing = [...shipped]
  .map(released)
  .filter((ref) => !list.components.some((component) => component['bom-ref'] === ref));
if (missing.length > 0) {
  console.error(`sbom: npm sbom does not list ${missing.join(', ')}`);
  process.exit(1);
}
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(list, null, 2)}\n`);
console.log(`sbom: ${list.components.length} components in ${file}`);
