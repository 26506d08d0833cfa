import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@corral/base/config/config-error';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-service-config.ts';
import { dataDirectory } from '../support/services/data-directory.ts';

const relay = { CORRAL_MAIL_HOST: 'relay.example.org', CORRAL_MAIL_FROM: 'Corral@Example.org' };

describe('the settings of mail', () => {
  let folder = '';
  const file = (name: string): string => join(folder, name);
  beforeAll(async () => {
    folder = await dataDirectory('corral-mail-');
    await writeFile(file('password'), 'of the relay\n');
    await writeFile(file('empty'), '\n');
    await writeFile(file('two-lines'), 'of the relay\nand more\n');
  });
  const login = (name = 'password') => ({
    CORRAL_MAIL_USER: 'corral',
    CORRAL_MAIL_PASSWORD_FILE: file(name),
  });
  const mistakeIn = (env: Readonly<Record<string, string>>): string => {
    try {
      loadConfig(env);
    } catch (error) {
      if (error instanceof ConfigError) return error.mistakes.join('\n');
      throw error;
    }
    return 'none';
  };

  it('are off until there is a relay', () => {
    expect(loadConfig({}).mail).toBeNull();
    expect(loadConfig({ CORRAL_MAIL_FROM: 'corral@example.org' }).mail).toBeNull();
  });

  it('have defaults that encrypt, and the password from its file', () => {
    expect(loadConfig({ ...relay, ...login() }).mail).toEqual({
      host: 'relay.example.org',
      port: 587,
      tls: 'starttls',
      ca: null,
      login: { user: 'corral', password: 'of the relay' },
      from: 'corral@example.org',
      digestMs: 300_000,
      timeoutMs: 30_000,
    });
    expect(loadConfig({ ...relay, CORRAL_MAIL_TLS: 'none' }).mail).toMatchObject({ tls: 'none', login: null });
  });

  it.each([
    ['mail.from: missing', { CORRAL_MAIL_HOST: 'relay.example.org' }],
    ['CORRAL_MAIL_FROM', { ...relay, CORRAL_MAIL_FROM: 'a@example.org\nBcc: b@example.org' }],
    ['CORRAL_MAIL_HOST', { ...relay, CORRAL_MAIL_HOST: 'relay.example.org/x' }],
    ['mail.host: connections to 169.254.1.1 are not allowed', { ...relay, CORRAL_MAIL_HOST: '169.254.1.1' }],
    ['CORRAL_MAIL_TLS', { ...relay, CORRAL_MAIL_TLS: 'perhaps' }],
    ['CORRAL_MAIL_PORT', { ...relay, CORRAL_MAIL_PORT: '0' }],
    ['CORRAL_MAIL_DIGEST', { ...relay, CORRAL_MAIL_DIGEST: '86400' }],
    ['mail.password_file: missing', { ...relay, CORRAL_MAIL_USER: 'corral' }],
  ])('tell %s', (mistake, env) => expect(mistakeIn(env)).toContain(mistake));

  it('take only a file with a password, send it only encrypted, and never show it', () => {
    expect(mistakeIn({ ...relay, CORRAL_MAIL_PASSWORD_FILE: file('password') })).toContain('mail.user: missing');
    for (const name of ['empty', 'two-lines', 'absent']) {
      const mistake = mistakeIn({ ...relay, ...login(name) });
      expect(mistake).toContain('expected a file that contains a password');
      expect(mistake).not.toContain('of the relay');
    }
    const mistake = mistakeIn({ ...relay, ...login(), CORRAL_MAIL_TLS: 'none' });
    expect(mistake).toContain('would send the password unencrypted');
    expect(mistake).not.toContain('of the relay');
  });
});
