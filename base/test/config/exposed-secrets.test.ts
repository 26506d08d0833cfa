import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { secret, whole } from '../../src/config/value-types.ts';
import { exposedSecrets } from '../../src/config/gather-settings.ts';
import type { Settings } from '../../src/config/setting.ts';

const settings: Settings = {
  port: { takes: whole(0, 65_535), about: 'a port' },
  'keystone.password': { takes: secret, about: 'a password' },
};

const told = (text: string, mode: number): string | null => {
  const directory = mkdtempSync(join(tmpdir(), 'corral-exposed-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'corral.toml');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return exposedSecrets(settings, { CORRAL_CONFIG: file })?.replaceAll(file, 'FILE') ?? null;
};

it('a configuration file with secrets that all users can read is reported, with the way out', () => {
  const secret = 'port = 1\n[keystone]\npassword = "canary"\n';
  expect(told(secret, 0o644)).toBe(
    'FILE contains secrets (keystone.password) and is readable by all users of this machine; run `chmod 640 FILE`',
  );
  expect(told(secret, 0o640)).toBeNull();
  expect(told('port = 1\n', 0o644)).toBeNull();
  expect(exposedSecrets(settings, {})).toBeNull();
});
