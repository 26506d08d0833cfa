import { Type } from '@sinclair/typebox';

/** Marks a field as a text of several lines in PEM format, for those who draw forms. */
export const pemText = { contentMediaType: 'application/x-pem-file' } as const;

/** Fields by which a device's certificate is trusted. */
export const trustFields = {
  ca: Type.Optional(
    Type.String({
      ...pemText,
      maxLength: 50_000,
      pattern: '^(?![^]*PRIVATE KEY)-----BEGIN CERTIFICATE-----',
      description: 'certificates in PEM, without a private key',
    }),
  ),
  fingerprint: Type.Optional(
    Type.String({
      pattern: '^([0-9A-Fa-f]{64}|([0-9A-Fa-f]{2}:){31}[0-9A-Fa-f]{2})$',
      description: 'the SHA-256 fingerprint of the certificate, as openssl shows it',
    }),
  ),
};
