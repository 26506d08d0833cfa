import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const path = process.env['PATH'] ?? '';

const newDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-supply-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
};

interface Ended {
  readonly code: number;
  readonly said: string;
}

const run = (script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { cwd: root, env: { ...process.env, ...env } };
    const child = execFile(process.execPath, [join('scripts', script), ...args], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, said: `${stdout}${stderr}`.trim() }),
    );
  });

describe('the audit', () => {
  const advisory = {
    name: 'leftpad',
    severity: 'high',
    range: '<2.0.0',
    fixAvailable: true,
    via: [{ title: 'Pads on the right', url: 'https://advisories.example/1' }, 'rightpad'],
  };
  const clean = { vulnerabilities: {} };
  const bad = { vulnerabilities: { leftpad: advisory } };
  const mild = { vulnerabilities: { leftpad: { ...advisory, severity: 'moderate' } } };

  /** An npm that answers this when it is asked about what is shipped, and that about everything. */
  const auditWith = async (shipped: unknown, all: unknown, env: Readonly<Record<string, string>> = {}) => {
    const directory = await newDirectory();
    const answers = join(directory, 'answers.json');
    await writeFile(answers, JSON.stringify({ shipped, all }));
    await writeFile(
      join(directory, 'npm'),
      `#!${process.execPath}
       const answers = JSON.parse(require('node:fs').readFileSync(${JSON.stringify(answers)}, 'utf8'));
       const answer = process.argv.includes('--omit=dev') ? answers.shipped : answers.all;
       process.stdout.write(typeof answer === 'string' ? answer : JSON.stringify(answer));
       process.exitCode = 1;`,
      { mode: 0o755 },
    );
    return run('audit.mjs', [], { PATH: `${directory}:${path}`, CORRAL_REQUIRE_AUDIT: '', ...env });
  };

  it('passes when nothing is known', async () => {
    const { code, said } = await auditWith(clean, clean);
    expect([code, said]).toEqual([0, 'audit: no severe vulnerability is known in what is shipped']);
  });

  it('fails on a severe vulnerability in what is shipped, and says which', async () => {
    for (const severity of ['high', 'critical']) {
      const { code, said } = await auditWith({ vulnerabilities: { leftpad: { ...advisory, severity } } }, bad);
      expect(code).toBe(1);
      expect(said).toContain(
        `leftpad <2.0.0 (${severity}, fix available): Pads on the right https://advisories.example/1`,
      );
      expect(said).toContain('through rightpad');
    }
  });

  it('does not fail on milder ones', async () => {
    expect(await auditWith(mild, mild)).toMatchObject({ code: 0 });
  });

  it('tells of those in tools, and does not fail', async () => {
    const { code, said } = await auditWith(clean, bad);
    expect(code).toBe(0);
    expect(said).toContain('audit: (not shipped) leftpad <2.0.0 (high');
  });

  const silent = [
    ['offers no audit', { message: '405 Method Not Allowed', statusCode: 405 }, 'offers no audit (it answers 405)'],
    ['is down', { message: '503 Service Unavailable', statusCode: 503 }, 'cannot answer now (503)'],
    ['is out of reach', { message: 'getaddrinfo ENOTFOUND a.b', error: {} }, 'cannot be reached (ENOTFOUND)'],
  ] as const;
  it.each(silent)(
    'a registry that %s is reported in one line, and is a failure only if asked for',
    async (_, answer, why) => {
      const lenient = await auditWith(answer, answer);
      expect(lenient.code).toBe(0);
      expect(lenient.said).toMatch(/^audit: nothing was checked: [^\n]+$/);
      expect(lenient.said).toContain(why);
      const strict = await auditWith(answer, answer, { CORRAL_REQUIRE_AUDIT: '1' });
      expect(strict.code).toBe(1);
      expect(strict.said).toContain('CORRAL_REQUIRE_AUDIT is set');
    },
  );

  it('fails when npm fails for any other reason', async () => {
    const answers = [
      { error: { code: 'ENOLOCK', summary: 'no lockfile' } },
      'not JSON at all',
      { message: '401', statusCode: 401 },
    ];
    for (const answer of answers) {
      const { code, said } = await auditWith(answer, clean);
      expect([code, said]).toEqual([1, expect.stringContaining('npm audit failed: ') as string]);
    }
  });
});

describe('the licence check', () => {
  /** A project with these packages in its lock and, where given, installed. */
  const project = async (lock: Readonly<Record<string, object>>, installed: Readonly<Record<string, object>> = {}) => {
    const directory = await newDirectory();
    await writeFile(join(directory, 'package-lock.json'), JSON.stringify({ packages: { '': { name: 'x' }, ...lock } }));
    for (const [name, manifest] of Object.entries(installed)) {
      const file = join(directory, name, 'package.json');
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, JSON.stringify(manifest));
    }
    return run('licences.mjs', [directory]);
  };
  const entry = (license: string, more: object = {}) => ({ version: '1.0.0', license, ...more });

  it('passes what is here', async () => {
    expect(await run('licences.mjs', [])).toMatchObject({ code: 0 });
  });

  it('takes permissive licences, also in expressions and in old manifests', async () => {
    const { code, said } = await project(
      {
        'node_modules/a': entry('MIT'),
        'node_modules/b': entry('(GPL-3.0-only OR Apache-2.0)'),
        'node_modules/a/node_modules/c': entry('(MIT AND Zlib)'),
        'node_modules/d': { version: '1.0.0' },
        'node_modules/e': { version: '1.0.0' },
        'node_modules/own': { link: true, resolved: 'own' },
        own: { version: '1.0.0' },
      },
      { 'node_modules/d': { licenses: [{ type: 'MIT' }] }, 'node_modules/e': { license: { type: 'ISC' } } },
    );
    expect([code, said]).toEqual([0, 'licences: 5 packages, all permissive']);
  });

  it('lists all others, those of development too, and fails', async () => {
    const { code, said } = await project(
      {
        'node_modules/viral': entry('AGPL-3.0-only'),
        'node_modules/tool': entry('GPL-2.0-only', { dev: true }),
        'node_modules/both': entry('MIT AND GPL-3.0-only'),
        'node_modules/mute': { version: '1.0.0' },
        'node_modules/liar': entry('MIT'),
      },
      { 'node_modules/liar': { license: 'SSPL-1.0' } },
    );
    expect(code).toBe(1);
    for (const line of [
      'viral 1.0.0: AGPL-3.0-only, shipped',
      'tool 1.0.0: GPL-2.0-only',
      'both 1.0.0: MIT AND GPL-3.0-only, shipped',
      'mute 1.0.0: no licence given, shipped',
      'liar 1.0.0: SSPL-1.0, shipped',
    ]) {
      expect(said.split('\n')).toContain(`licences: ${line}`);
    }
  });

  it('tolerates what is named with a reason in tools only', async () => {
    const css = (more: object) => project({ 'node_modules/lightningcss': entry('MPL-2.0', more) });
    expect(await css({ dev: true })).toMatchObject({ code: 0, said: expect.stringContaining('test runner') as string });
    expect(await css({})).toMatchObject({ code: 1, said: expect.stringContaining('MPL-2.0, shipped') as string });
  });

  it('takes what is shipped under the MPL only by name', async () => {
    const viewer = (name: string, licence: string) => project({ [`node_modules/${name}`]: entry(licence) });
    expect(await viewer('@novnc/novnc', 'MPL-2.0')).toMatchObject({ code: 0 });
    expect(await viewer('@novnc/novnc', 'GPL-3.0-only')).toMatchObject({ code: 1 });
    expect(await viewer('@novnc/other', 'MPL-2.0')).toMatchObject({ code: 1 });
  });
});

describe('the list of what is shipped', () => {
  it('has every package with its hash, and nothing of this machine', async () => {
    const file = join(await newDirectory(), 'deep', 'corral.cdx.json');
    const { code, said } = await run('sbom.mjs', [file]);
    expect([code, said]).toEqual([0, expect.stringMatching(/^sbom: \d+ components in /) as string]);
    const text = await readFile(file, 'utf8');
    interface Component {
      readonly name: string;
      readonly purl: string;
      readonly hashes?: readonly unknown[];
    }
    const list = JSON.parse(text) as {
      readonly bomFormat: string;
      readonly metadata: { readonly component: Component };
      readonly components: readonly Component[];
    };
    expect(list.bomFormat).toBe('CycloneDX');
    expect(list.metadata.component.name).toBe('corral');
    const purls = list.components.map(({ purl }) => purl.split('@').slice(0, -1).join('@'));
    for (const name of [
      'fastify',
      'pg',
      'pg-pool',
      'libsql',
      'ws',
      'yaml',
      'react',
      '%40novnc/novnc',
      '%40corral/obmd',
    ])
      expect(purls).toContain(`pkg:npm/${name}`);
    for (const name of ['vitest', 'vite', 'typescript', 'oidc-provider', 'autocannon', 'playwright-core']) {
      expect(purls).not.toContain(`pkg:npm/${name}`);
    }
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string };
    expect(list.components.map(({ purl }) => purl)).toContain(`pkg:npm/%40corral/service@${version}`);
    expect(text).not.toContain('corral/service@0.0.0');
    const foreign = list.components.filter(({ purl }) => !purl.includes('%40corral'));
    expect(foreign.filter(({ hashes }) => hashes === undefined || hashes.length === 0)).toEqual([]);
    for (const local of [root, root.slice(0, -1), tmpdir(), hostname(), process.env['HOME'] ?? root]) {
      expect(text).not.toContain(local);
    }
    expect(text).not.toMatch(/"type": "distribution"/);
  });
});
