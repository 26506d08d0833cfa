import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serviceForTest } from '../../service/test/support/services/service.ts';
import { siteShell } from './support/cli-service.ts';

it('docs/site.md shows what is printed for its document', async () => {
  const text = await readFile(new URL('../../docs/site.md', import.meta.url), 'utf8');
  const [, document = ''] = /^```yaml\n([^]*?)^```$/m.exec(text) ?? [];
  const [, told = ''] = /^```console\n\$ corral apply site\.yaml\n([^]*?)^```$/m.exec(text) ?? [];
  const service = await serviceForTest('sqlite');
  const { shell, apply, edit, path } = await siteShell(service, document);
  await mkdir(join(shell.home, 'secrets'));
  for (const name of ['vera', 'switch-password', 'obmd-token']) {
    await writeFile(join(shell.home, 'secrets', name), 'a secret of the site');
  }
  const { code, out, err } = await apply('--yes');
  expect({ code, err }).toEqual({ code: 0, err: 'objects that are not in the document (?) were left unchanged: 1\n' });
  const asked = /^make these .*\n/m;
  const shown = out.replace(path, 'site.yaml').replace(service.url, 'http://127.0.0.1:5000');
  expect(shown + err).toBe(told.replace(asked, ''));

  const again = await apply('--yes');
  expect(again.out).toContain('nothing to do');

  const [, mistakes = ''] = /^```console\n\$ corral apply site\.yaml\n(corral: [^]*?)^```$/m.exec(text) ?? [];
  await edit((whole) => whole.replace('net_id: 3000', 'net_id: 5000').replace('macaddr:', 'mcaddr:'));
  expect((await apply('--yes')).err.replaceAll(path, 'site.yaml')).toBe(mistakes);
});
