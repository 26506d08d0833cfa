import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../service/src/config/load-service-config.ts';
import { type Settings, variableOf } from '@corral/base/config/setting';
import { settings } from '../service/src/config/service-settings.ts';
import { switchDrivers } from '../service/src/drivers/switches/switch-drivers.ts';
import { statusOf } from '../service/src/server/http-errors.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

interface Document {
  readonly name: string;
  readonly text: string;
}

const documents: Document[] = [];

const textOf = (name: string): string => {
  const document = documents.find((candidate) => candidate.name === name);
  if (document === undefined) throw new Error(`there is no ${name}`);
  return document.text;
};

beforeAll(async () => {
  const inDocs = await readdir(join(root, 'docs'), { recursive: true });
  const names = [
    ...(await readdir(root)).filter((name) => name.endsWith('.md')),
    ...inDocs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
  ];
  for (const name of names) documents.push({ name, text: await readFile(join(root, name), 'utf8') });
});

/** The cells of the rows of all tables whose first cell is code, without the marks of code. */
const rowsOf = (markdown: string): string[][] =>
  markdown
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('`', '')))
    .map((cells) => cells.slice(1, -1));

describe('docs/drivers/README.md', () => {
  it('has every driver of the registry, and tells who needs a native network first', () => {
    const rows = rowsOf(textOf('docs/drivers/README.md')).map(([type, , , , nativeFirst]) => [type, nativeFirst]);
    const drivers = Object.entries(switchDrivers({ simulatedSwitches: 'nowhere' })).map(([type, { capabilities }]) => [
      type,
      capabilities.includes('nativeless-trunk-mode') ? 'no' : 'yes',
    ]);
    expect(rows.sort()).toEqual(drivers.sort());
  });
});

describe('docs/security.md', () => {
  it('names for every threat a test that there is', async () => {
    const named = textOf('docs/security.md')
      .split('\n')
      .flatMap((line) => [...line.matchAll(/`([\w/.-]+\.test\.ts)`: "([^"]+)"/g)])
      .map(([, file = '', title = '']) => ({ file, title }));
    expect(named.length).toBeGreaterThan(30);
    const missing = await Promise.all(
      named.map(async ({ file, title }) => {
        const text = await readFile(join(root, file), 'utf8').catch(() => '');
        return text.includes(title) ? [] : [`${file}: "${title}"`];
      }),
    );
    expect(missing.flat()).toEqual([]);
  });
});

describe('docs/configuration.md', () => {
  const all: Settings = settings;

  it('has every setting, and no other', () => {
    const rows = rowsOf(textOf('docs/configuration.md')).map(([key]) => key);
    expect(rows).toEqual(Object.keys(all));
  });

  it.each(Object.entries(all))('tells the truth about %s', (key, setting) => {
    const [, variable, fallback, meaning] =
      rowsOf(textOf('docs/configuration.md')).find(([candidate]) => candidate === key) ?? [];
    expect(variable).toBe(variableOf(key, setting));
    expect(fallback).toBe(setting.fallback === undefined || setting.fallback === '' ? 'none' : setting.fallback);
    expect(meaning, 'run `npm run generate`').toBe(setting.about.replaceAll('`', ''));
  });

  it('has an example that is accepted', async () => {
    const example = /^```toml\n(.*?)^```$/ms.exec(textOf('docs/configuration.md'))?.[1] ?? '';
    const directory = await mkdtemp(join(tmpdir(), 'corral-docs-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const file = join(directory, 'corral.toml');
    await writeFile(file, example);
    expect(loadConfig({ CORRAL_CONFIG: file }).engine.budgetMs).toBe(120_000);
  });
});

describe('docs/api.md', () => {
  it('has every type of error with its status', () => {
    const told = rowsOf(textOf('docs/api.md'))
      .filter(([type]) => type?.endsWith('Error'))
      .map(([type, status]) => [type, Number(status)]);
    expect(Object.fromEntries(told)).toEqual(statusOf);
  });
});

describe('the documents', () => {
  /** The anchor that a heading gets. */
  const anchorOf = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
  const anchorsOf = (markdown: string): string[] =>
    [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

  it('link to files and headings that are there', () => {
    const broken = documents.flatMap(({ name, text }) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^https?:/.test(target))
        .filter((target) => {
          const [path = '', anchor] = target.split('#');
          const file = path === '' ? name : join(dirname(name), path);
          if (!existsSync(join(root, file))) return true;
          return anchor !== undefined && !anchorsOf(textOf(file)).includes(anchor);
        })
        .map((target) => `${name}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('name files and folders that are there, or that the bundler makes', async () => {
    const bundler = await readFile(join(root, 'scripts/bundle.mjs'), 'utf8');
    const missing = documents.flatMap(({ name, text }) =>
      [...text.matchAll(/`((?:service|lab|bench|test|scripts)\/[\w./-]*)`/g)]
        .map(([, path = '']) => path)
        .filter((path) => !(path.includes('/dist/') ? bundler.includes(`'${path}'`) : existsSync(join(root, path))))
        .map((path) => `${name}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('name packages of this version', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string };
    const named = documents.flatMap(({ name, text }) =>
      [...text.matchAll(/corral-(?:client-)?(\d+\.\d+\.\d+)\.(?:tgz|cdx)/g)].map(([, of]) => `${name}: ${of}`),
    );
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !name.endsWith(`: ${version}`))).toEqual([]);
  });

  it('name npm scripts that are there', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const missing = documents.flatMap(({ name, text }) =>
      [...text.matchAll(/\bnpm run ([\w:]+)(?!…)/g)]
        .map(([, script = '']) => script)
        .filter((script) => !script.endsWith(':') && !Object.hasOwn(scripts, script))
        .map((script) => `${name}: npm run ${script}`),
    );
    expect(missing).toEqual([]);
  });
});
