import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { ValueType } from '@corral/base/config/value-types';

/** The certificates in the PEM file that a setting names; null: it names none. */
export const pemFile: ValueType<string | null> = {
  expected: 'a PEM file with certificates',
  parse: (file, wrong) => {
    const pem = certificatesIn(file);
    if (pem === null) wrong();
    return pem;
  },
};

const certificatesIn = (file: string): string | null => {
  try {
    const pem = readFileSync(file, 'utf8');
    createSecureContext({ ca: pem });
    return pem.includes('BEGIN CERTIFICATE') ? pem : null;
  } catch {
    return null;
  }
};
