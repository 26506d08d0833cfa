import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { refusedPhrases } from './support/refused-phrases.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const workspaces = ['base', 'obmd', 'service', 'client', 'lab', 'bench'];

const filesIn = async (directory: string, ending: string): Promise<string[]> =>
  (await readdir(join(root, directory), { recursive: true }))
    .filter((name) => name.endsWith(ending) && !name.includes('node_modules'))
    .map((name) => join(directory, name));

/** Between two words: a space, or a line break inside a comment. */
const gap = String.raw`\s+(?:(?:\*|//)\s+)?`;
const patterns = [
  ...refusedPhrases.map(({ phrase, instead }) => ({
    pattern: new RegExp(`\\b(?:${phrase.replaceAll(' ', gap)})(?![\\w-])`, 'gim'),
    instead,
  })),
  {
    pattern: /(?<=^|[.!?]\s|\*\s|\/\/\s|['"`|(]\s?)Whatever\b/gm,
    instead: 'the subject: "Any other line", "Every error"',
  },
];

/** Every refused phrase in a text, with its line and what to write instead. */
const refusedIn = (file: string, text: string): string[] =>
  patterns.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${file}:${line}: "${found.replace(/\s+(?:(?:\*|\/\/)\s+)?/g, ' ')}"; write ${instead}`;
    }),
  );

const title = /(?:\b(?:it|test|describe)(?:\.\w+)*|[\])])\(\s*(['"`])((?:\\.|(?!\1)[^\n])*)\1/g;

/** A text with nothing left of it but the titles of tests, each in its line. */
const titlesOf = (text: string): string => {
  const lines = text.split('\n').map(() => '');
  for (const { 0: whole, 2: words = '', index } of text.matchAll(title)) {
    const line = text.slice(0, index + whole.length).split('\n').length - 1;
    lines[line] = `${lines[line] ?? ''} '${words}'`;
  }
  return lines.join('\n');
};

describe('plain technical English', () => {
  it('refuses phrases in comments, also across lines, in strings and in titles', () => {
    expect(
      refusedIn('a.ts', "/**\n * The caller is\n * told why.\n */\nthrow new Error('n1 exists already');"),
    ).toEqual([
      'a.ts:2: "is told"; write what happens: "is notified", "gets an error", "is reported"',
      'a.ts:5: "exists already"; write "already exists"',
    ]);
    expect(refusedIn('b.md', 'It works. Whatever happens, it works.')).toHaveLength(1);
    const tests = "it.each(cases)('%s: whoever asks', () => {\n  expect(whoever);\n});\n";
    expect(refusedIn('c.test.ts', titlesOf(tests))).toEqual([
      expect.stringMatching(/^c\.test\.ts:1: "whoever"; write/),
    ]);
    expect(refusedIn('d.ts', 'const told = isTold(whomever_2);')).toEqual([]);
  });

  it.each([...workspaces, 'console'])('is what the sources of %s are written in', async (workspace) => {
    const files = (await Promise.all(['.ts', '.tsx'].map((ending) => filesIn(join(workspace, 'src'), ending)))).flat();
    const texts = await Promise.all(
      files.map(async (file) => refusedIn(file, await readFile(join(root, file), 'utf8'))),
    );
    expect(files).not.toEqual([]);
    expect(texts.flat()).toEqual([]);
  });

  it('is what titles of tests are written in', async () => {
    const directories = ['test', ...workspaces.filter((name) => name !== 'bench').map((name) => join(name, 'test'))];
    const files = (await Promise.all(directories.map((directory) => filesIn(directory, '.test.ts'))))
      .flat()
      // Its own examples are such titles.
      .filter((file) => file !== join('test', 'wording.test.ts'));
    const texts = await Promise.all(
      files.map(async (file) => refusedIn(file, titlesOf(await readFile(join(root, file), 'utf8')))),
    );
    expect(files).not.toEqual([]);
    expect(texts.flat()).toEqual([]);
  });

  it('is what the documents are written in', async () => {
    const ownFiles = (await readdir(root)).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md');
    const files = [...ownFiles, ...(await filesIn('docs', '.md'))];
    const texts = await Promise.all(
      files.map(async (file) => refusedIn(file, await readFile(join(root, file), 'utf8'))),
    );
    expect(files).not.toEqual([]);
    expect(texts.flat()).toEqual([]);
  });
});
