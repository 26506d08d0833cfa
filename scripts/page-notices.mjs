// What the licence of a package inside the pages refers to, beside the text that the bundler finds by itself.
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * noVNC is under the MPL 2.0, which asks to say where its source is; parts of it are under licences that ask for their
 * notices: two in files of their own, one at the beginning of a module.
 */
const referred = [
  {
    folder: 'node_modules/@novnc/novnc',
    source: (version) => `https://registry.npmjs.org/@novnc/novnc/-/novnc-${version}.tgz`,
    files: ['AUTHORS', 'docs/LICENSE.MPL-2.0', 'vendor/pako/LICENSE'],
    modules: ['core/crypto/des.js'],
  },
];

/** The comment that a module begins with. */
const headOf = (text, file) => {
  const head = /^\/\*([\s\S]*?)\*\//.exec(text)?.[1];
  if (head === undefined) throw new Error(`${file} begins with no notice; what is it under?`);
  return head.replaceAll(/^ \* ?/gm, '').trim();
};

/** Adds them to the licences of the pages. */
export const addReferredNotices = async (root, licences) => {
  for (const { folder, source, files, modules } of referred) {
    const at = join(root, folder);
    const { name, version } = JSON.parse(await readFile(join(at, 'package.json'), 'utf8'));
    const texts = [
      `Not changed. Its source: ${source(version)}`,
      ...(await Promise.all(
        files.map(async (file) => `${file}\n\n${(await readFile(join(at, file), 'utf8')).trim()}`),
      )),
      ...(await Promise.all(
        modules.map(async (file) => `${file}\n\n${headOf(await readFile(join(at, file), 'utf8'), file)}`),
      )),
    ];
    await appendFile(licences, `\n## ${name} - ${version}, notices of its parts\n\n${texts.join('\n\n')}\n`);
  }
};
