import { readFileSync } from 'node:fs';
import type { SettingReader } from '@corral/base/config/setting-reader';
import type { Settings, ValuesOf } from '@corral/base/config/setting';
import { oneOf, seconds, text, textThat, type ValueType, whole } from '@corral/base/config/value-types';
import type { Outbound } from '@corral/base/http/outbound';
import { mailAddressIn, mailAddressRule } from '../schema/mail-address.ts';
import { pemFile } from './certificate-authority.ts';

const host = textThat((given) => /^[\w.:[\]-]+$/.test(given), 'the name or address of a host');

/** The password in the file that a setting names. What is in the file is never shown. */
const passwordFile: ValueType<string | null> = {
  expected: 'a file that contains a password, on one line',
  parse: (file, wrong) => {
    const password = passwordIn(file);
    if (password === null) wrong();
    return password;
  },
};

const passwordIn = (file: string): string | null => {
  try {
    const password = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return password === '' || /\p{Cc}/u.test(password) ? null : password;
  } catch {
    return null;
  }
};

const fromAddress: ValueType<string | null> = {
  expected: mailAddressRule,
  parse: (given, wrong) => {
    const address = mailAddressIn(given);
    if (address === null) wrong();
    return address;
  },
};

/** The relay that mail goes through. */
export const mailSettings = {
  'mail.host': {
    takes: host,
    about:
      'The SMTP relay that [mail](mail.md) goes through; it must be where `outbound.allow` permits connections. None: no mail is sent.',
  },
  'mail.port': { takes: whole(1, 65_535), fallback: '587', about: 'Its port.' },
  'mail.tls': {
    takes: oneOf('starttls', 'implicit', 'none'),
    fallback: 'starttls',
    about:
      'How the connection is encrypted: `starttls` (the relay must offer it), `implicit` (from the start, usually on port 465), or `none`, for a relay without a login.',
  },
  'mail.ca': {
    takes: pemFile,
    about: "PEM file of the authority that the relay's certificate is from. None: those that Node.js trusts.",
  },
  'mail.user': { takes: text, about: 'Name to log in with. None: without a login.' },
  'mail.password_file': { takes: passwordFile, about: 'File that contains the password for it, on one line.' },
  'mail.from': { takes: fromAddress, about: 'The address that mail is from. Required by `mail.host`.' },
  'mail.digest': {
    takes: seconds(),
    fallback: '300',
    about: 'How long events of a subscription are collected for one mail, in seconds, up to 3600.',
  },
  'mail.timeout': { takes: seconds(), fallback: '30', about: 'How long the relay has to take a mail.' },
} as const satisfies Settings;

export interface MailConfig {
  readonly host: string;
  readonly port: number;
  readonly tls: 'starttls' | 'implicit' | 'none';
  /** PEM of an authority; null: those that Node.js trusts. */
  readonly ca: string | null;
  readonly login: { readonly user: string; readonly password: string } | null;
  readonly from: string;
  readonly digestMs: number;
  readonly timeoutMs: number;
}

/** Null: no mail is sent. */
export const mailConfig = (
  read: SettingReader<ValuesOf<typeof mailSettings>>,
  outbound: Outbound,
  mistakes: string[],
): MailConfig | null => {
  const relay = read.value('mail.host');
  const tls = read.value('mail.tls');
  const from = read.value('mail.from');
  const login = loginIn(read, mistakes);
  // Mistakes in what is not used yet are noted, too.
  const rest = {
    port: read.value('mail.port'),
    tls,
    ca: read.value('mail.ca'),
    login,
    digestMs: read.value('mail.digest'),
    timeoutMs: read.value('mail.timeout'),
  };
  if (relay === null) return null;
  if (from === null) mistakes.push('mail.from: missing; required by mail.host');
  if (tls === 'none' && login !== null) {
    mistakes.push('mail.tls: "none" would send the password unencrypted; set starttls or implicit, or no mail.user');
  }
  const refusal = outbound.refusalOf(relay);
  if (refusal !== null) mistakes.push(`mail.host: ${refusal.message}`);
  return { host: relay, from: from ?? '', ...rest };
};

const loginIn = (read: SettingReader<ValuesOf<typeof mailSettings>>, mistakes: string[]): MailConfig['login'] => {
  const user = read.value('mail.user');
  const password = read.value('mail.password_file');
  if (user === null && password === null) return null;
  if (user === null) mistakes.push('mail.user: missing; required by mail.password_file');
  if (password === null) mistakes.push('mail.password_file: missing, or without a password; required by mail.user');
  return { user: user ?? '', password: password ?? '' };
};
