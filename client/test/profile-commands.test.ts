import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shellForTest } from './support/shell.ts';

const profiles = {
  current: 'lab',
  profiles: {
    lab: { endpoint: 'http://127.0.0.1:1', username: 'ada', token: 'corral_secret' },
    'lab-2': { endpoint: 'https://lab2.example.org', username: 'grace', token: 'corral_other' },
  },
};

const shellWithProfiles = async () => {
  const shell = await shellForTest();
  await shell.file('client.json', JSON.stringify(profiles));
  const file = join(shell.home, 'client.json');
  const current = async (): Promise<unknown> => (JSON.parse(await readFile(file, 'utf8')) as typeof profiles).current;
  return { shell, file, current };
};

describe('corral profile', () => {
  it('lists them with the current one, without their tokens', async () => {
    const { shell } = await shellWithProfiles();
    const { out } = await shell('profile list');
    expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
      '   profile  service                   user',
      '*  lab      http://127.0.0.1:1        ada',
      '   lab-2    https://lab2.example.org  grace',
      '',
    ]);
    expect(JSON.parse((await shell('profile list --json')).out)).toEqual([
      { name: 'lab', endpoint: 'http://127.0.0.1:1', username: 'ada', current: true },
      { name: 'lab-2', endpoint: 'https://lab2.example.org', username: 'grace', current: false },
    ]);
  });

  it('makes another one the current one, and keeps the rest of the file', async () => {
    const { shell, file } = await shellWithProfiles();
    const { code, out } = await shell('profile use lab-2');
    expect({ code, out }).toEqual({ code: 0, out: '✓ profile lab-2 is the current one: https://lab2.example.org\n' });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ ...profiles, current: 'lab-2' });
  });

  it('says what of the environment comes before it', async () => {
    const { shell } = await shellWithProfiles();
    const env = { CORRAL_ENDPOINT: 'http://127.0.0.1:1', OS_AUTH_URL: 'http://127.0.0.1:2/v3' };
    const { err } = await shell('profile use lab-2', { env });
    expect(err).toContain('the environment comes before it, as long as it has CORRAL_ENDPOINT, OS_AUTH_URL');
    expect((await shell('profile use lab')).err).toBe('');
  });

  it('refuses one that does not exist, and changes nothing', async () => {
    const { shell, file, current } = await shellWithProfiles();
    const { code, err } = await shell('profile use lab-3');
    expect(code).toBe(2);
    expect(err).toContain(`profile lab-3 does not exist in ${file} (known: lab, lab-2)`);
    expect(await current()).toBe('lab');
  });
});
