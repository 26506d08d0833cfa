import { Type } from '@sinclair/typebox';

/** Fields by which a device's certificate is trusted. */
export const trustFields = {
  ca: Type.Optional(
    Type.String({
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
