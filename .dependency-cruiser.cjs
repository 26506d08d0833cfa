/*
 * Who may import whom. The rooms and the reasons are in ARCHITECTURE.md.
 */
const src = (room) => `^service/src/${room}/`;

const mayOnlyImport = (room, others, comment) => ({
  name: `${room}-imports`,
  comment,
  severity: 'error',
  from: { path: src(room) },
  to: { path: '^service/src/', pathNot: [room, ...others].map(src) },
});

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'types too: what two files share gets a file of its own',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    mayOnlyImport('schema', [], 'the grammar of names knows nobody'),
    mayOnlyImport('db', [], 'the tables know nobody'),
    mayOnlyImport('config', ['db', 'schema'], 'the configuration says where the database is, and names a project'),
    mayOnlyImport('core', ['db', 'drivers', 'schema'], 'the operations know tables, and drivers as contracts'),
    mayOnlyImport('auth', ['core', 'db'], 'a backend finds out who is calling'),
    mayOnlyImport('server', ['core', 'auth', 'db', 'schema'], 'HTTP around the operations'),
    mayOnlyImport('worker', ['core', 'db', 'drivers', 'config'], 'the engine drives switches for the operations'),
    mayOnlyImport('drivers', ['schema', 'core'], 'a driver knows its contract'),
    {
      name: 'core-sees-contracts-only',
      comment: 'which driver there is, is for main to say',
      severity: 'error',
      from: { path: src('core') },
      to: { path: src('drivers'), pathNot: 'contract\\.ts$' },
    },
    {
      name: 'drivers-use-only-errors-of-core',
      severity: 'error',
      from: { path: src('drivers') },
      to: { path: src('core'), pathNot: 'core/corral-error\\.ts$' },
    },
    {
      name: 'worker-sees-contracts-only',
      severity: 'error',
      from: { path: src('worker') },
      to: { path: src('drivers'), pathNot: 'contract\\.ts$' },
    },
    {
      name: 'lab-stands-alone',
      comment: 'the rack must not depend on what is tested in it',
      severity: 'error',
      from: { path: '^lab/' },
      to: { path: '^(base|obmd|service|bench)/' },
    },
    {
      name: 'client-stands-alone',
      comment: 'whoever takes the SDK takes nothing of the service with it',
      severity: 'error',
      from: { path: '^client/src/' },
      to: { path: '^(base|obmd|service|lab|bench)/' },
    },
    {
      name: 'sdk-knows-no-command-line',
      comment: 'it also runs in browsers',
      severity: 'error',
      from: { path: '^client/src/[^/]+\\.ts$' },
      to: { path: ['^client/src/cli/', '^node:'] },
    },
    {
      name: 'pages-speak-through-the-sdk',
      comment: 'nothing is reachable for a page that is not reachable for the SDK',
      severity: 'error',
      from: { path: '^console/src/' },
      to: { path: ['^(base|obmd|service|lab|bench)/', '^client/src/(?!index\\.ts)', '^node:'] },
    },
    {
      name: 'base-stands-alone',
      comment: 'what the programs stand on knows none of them',
      severity: 'error',
      from: { path: '^base/src/' },
      to: { path: '^(obmd|service|lab|bench)/' },
    },
    {
      name: 'obmd-knows-no-service',
      comment: 'it is a program of its own, which the service may start',
      severity: 'error',
      from: { path: '^obmd/src/' },
      to: { path: '^(service|lab|bench)/' },
    },
    {
      name: 'obmd-core-sees-contracts-only',
      comment: 'which kinds of BMC there are, is for start to say',
      severity: 'error',
      from: { path: '^obmd/src/core/' },
      to: { path: '^obmd/src/(drivers|server|config)/', pathNot: 'contract\\.ts$' },
    },
    {
      name: 'obmd-drivers-know-their-contract',
      severity: 'error',
      from: { path: '^obmd/src/drivers/' },
      to: { path: '^obmd/src/(core|server|config|db)/' },
    },
    {
      name: 'only-start-knows-obmd',
      comment: 'the service talks to its own daemon as to any other: over HTTP',
      severity: 'error',
      from: { path: '^service/src/', pathNot: '^service/src/(start\\.ts|own-daemon\\.ts|config/|admin/)' },
      to: { path: '^obmd/' },
    },
    {
      name: 'loaded-when-needed',
      comment: 'large, and not needed to start: import() where it is used, or only its types',
      severity: 'error',
      from: { path: '/src/', pathNot: '^(lab|bench)/' },
      to: {
        path: '^node_modules/(@types/)?(nodemailer|pg|ssh2|undici)/',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-test-code-in-the-product',
      severity: 'error',
      from: { path: '/src/' },
      to: { path: '/test/' },
    },
    { name: 'nothing-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.test.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['source', 'import', 'node', 'default'] },
  },
};
