import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './namespaces.ts';

/** The PEM texts of one end of a TLS line. */
export interface LabPapers {
  readonly ca: string;
  readonly certificate: string;
  readonly privateKey: string;
}

const elliptic = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-sha256'];

/** Makes an authority of its own in a directory: `ca.pem`, `ca.key`. */
export const makeAuthority = async (directory: string): Promise<void> => {
  const files = ['-keyout', join(directory, 'ca.key'), '-out', join(directory, 'ca.pem')];
  await run('openssl', ['req', '-x509', ...elliptic, '-days', '2', '-subj', '/CN=lab authority', ...files]);
};

/** Makes a key and a certificate signed by the authority of this directory: `<name>.pem`, `<name>.key`. */
export const makeCertificate = async (directory: string, name: string, commonName: string): Promise<LabPapers> => {
  const at = (file: string) => join(directory, file);
  const [key, request, certificate] = [at(`${name}.key`), at(`${name}.csr`), at(`${name}.pem`)];
  await run('openssl', ['req', '-new', ...elliptic, '-subj', `/CN=${commonName}`, '-keyout', key, '-out', request]);
  const authority = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
  await run('openssl', ['x509', '-req', '-in', request, ...authority, '-days', '2', '-out', certificate]);
  const text = (file: string) => readFile(file, 'utf8');
  return { ca: await text(at('ca.pem')), certificate: await text(certificate), privateKey: await text(key) };
};

/**
 * A certificate for 127.0.0.1 that signs itself, in PEM, for devices that need no authority. Its key is public: it
 * protects nothing, and nothing outside the lab trusts it.
 */
export const labCertificate = `-----BEGIN CERTIFICATE-----
MIIBaTCCAQ+gAwIBAgIBATAKBggqhkjOPQQDAjAVMRMwEQYDVQQDDApsYWIgc3dp
dGNoMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAVMRMwEQYDVQQD
DApsYWIgc3dpdGNoMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEPq79cL4bCIn/
N2Nmqo+RO+eDOFClxu0Sl6QHhMnZnuiIojFk79J6yDSofpfH49qeSN60S2BdJqmI
m7Gp/K423qNOMEwwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABggls
b2NhbGhvc3QwHQYDVR0OBBYEFO1IyYkd+prrWXYyn4d0JZ94FA9nMAoGCCqGSM49
BAMCA0gAMEUCIQDeTO5RsWzQtNJywa8AUFm+bP6wS2g1zal4iIsX47eHoAIgOjcz
h6672kvsfFrfyc6eUaIwnau0zUXh3RPpv9L9VKs=
-----END CERTIFICATE-----
`;

/** Its key, in PEM. */
export const labKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAqMhxkkHjnprVNm+
Az18EdwPbPHANJj33J3+Vb9ejMChRANCAAQ+rv1wvhsIif83Y2aqj5E754M4UKXG
7RKXpAeEydme6IiiMWTv0nrINKh+l8fj2p5I3rRLYF0mqYibsan8rjbe
-----END PRIVATE KEY-----
`;

/** Its SHA-256 fingerprint, as openssl shows it. */
export const labFingerprint =
  '04:9F:36:E7:E9:B9:22:32:7F:99:96:EF:F2:85:28:1D:8B:74:FE:C5:D8:F1:91:25:22:89:E9:1D:14:AE:78:95';
