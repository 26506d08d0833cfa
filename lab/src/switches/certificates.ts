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

/** Makes a key and a certificate that the authority of this directory vouches for: `<name>.pem`, `<name>.key`. */
export const makeCertificate = async (directory: string, name: string, commonName: string): Promise<LabPapers> => {
  const at = (file: string) => join(directory, file);
  const [key, request, certificate] = [at(`${name}.key`), at(`${name}.csr`), at(`${name}.pem`)];
  await run('openssl', ['req', '-new', ...elliptic, '-subj', `/CN=${commonName}`, '-keyout', key, '-out', request]);
  const authority = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
  await run('openssl', ['x509', '-req', '-in', request, ...authority, '-days', '2', '-out', certificate]);
  const text = (file: string) => readFile(file, 'utf8');
  return { ca: await text(at('ca.pem')), certificate: await text(certificate), privateKey: await text(key) };
};
