import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { SettingReader } from '@corral/base/config/reader';

/** The certificates in the PEM file that a setting names; null: it names none. */
export const authority = <Key extends string>(read: SettingReader<Key>, key: Key): string | null => {
  const file = read.text(key);
  if (file === null) return null;
  try {
    const pem = readFileSync(file, 'utf8');
    createSecureContext({ ca: pem });
    if (pem.includes('BEGIN CERTIFICATE')) return pem;
  } catch {
    // Told below: whatever is wrong with it, it is not what is needed.
  }
  read.wrong(key, 'a PEM file with certificates');
  return null;
};
