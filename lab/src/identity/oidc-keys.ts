import { generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';

/** A private key for signatures, as providers keep theirs. */
export interface OidcKey extends JsonWebKey {
  readonly kty: 'RSA' | 'EC' | 'OKP';
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: Algorithm;
}

type Algorithm = 'RS256' | 'ES256' | 'EdDSA';

const named = (alg: Algorithm): Pick<OidcKey, 'kid' | 'use' | 'alg'> => ({
  kid: randomBytes(8).toString('hex'),
  use: 'sig',
  alg,
});

/** Makes a key that nobody has seen. */
export const newOidcKey = (kind: 'RSA' | 'EC' | 'OKP' = 'RSA'): OidcKey => {
  switch (kind) {
    case 'RSA': {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      return { ...privateKey.export({ format: 'jwk' }), kty: 'RSA', ...named('RS256') };
    }
    case 'EC': {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return { ...privateKey.export({ format: 'jwk' }), kty: 'EC', ...named('ES256') };
    }
    case 'OKP': {
      const { privateKey } = generateKeyPairSync('ed25519');
      return { ...privateKey.export({ format: 'jwk' }), kty: 'OKP', ...named('EdDSA') };
    }
  }
};
