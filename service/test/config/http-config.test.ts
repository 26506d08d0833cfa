import { ConfigError } from '@corral/base/config/config-error';
import { addressIn } from '@corral/base/http/ip-address';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-service-config.ts';

const mistakesIn = (env: Record<string, string>): readonly string[] => {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
};

describe('the configuration of the HTTP server', () => {
  it('is plain, trusts nobody, and has limits', () => {
    expect(loadConfig({}).http).toEqual({
      tls: null,
      metrics: 'loopback',
      trustedProxies: null,
      corsOrigins: [],
      limits: { rate: 200, connections: 4096, connectionsPerAddress: 512, streamsPerAddress: 100 },
    });
  });

  it('has a certificate and its key: both or neither', () => {
    const both = { CORRAL_TLS_CERT: '/etc/cert.pem', CORRAL_TLS_KEY: '/etc/key.pem' };
    expect(loadConfig(both).http.tls).toEqual({ cert: '/etc/cert.pem', key: '/etc/key.pem' });
    for (const name of ['CORRAL_TLS_CERT', 'CORRAL_TLS_KEY']) {
      expect(mistakesIn({ [name]: '/etc/x.pem' })).toEqual([
        'tls: the certificate and its key must be given together; give both, or neither',
      ]);
    }
  });

  it('takes addresses, networks and this machine for proxies', () => {
    const { trustedProxies } = loadConfig({
      CORRAL_TRUSTED_PROXIES: 'loopback, 10.0.0.0/8, 192.0.2.7, fd00::/64',
    }).http;
    const trusts = (text: string): boolean | undefined => {
      const address = addressIn(text);
      return address === null ? undefined : trustedProxies?.has(address);
    };
    for (const address of ['127.0.0.1', '::1', '10.9.9.9', '192.0.2.7', 'fd00::9']) expect(trusts(address)).toBe(true);
    for (const address of ['192.0.2.8', 'fd00:0:0:1::9', '11.0.0.1', '::2']) expect(trusts(address)).toBe(false);
  });

  it.each(['10.0.0.0/33', 'proxy.example.org', '*', 'true', '10.0.0', '::/129', 'fe80::1%eth0', 'loopback loopback'])(
    'takes no other proxies: %s',
    (CORRAL_TRUSTED_PROXIES) => {
      expect(mistakesIn({ CORRAL_TRUSTED_PROXIES })).toEqual([
        expect.stringMatching(/^CORRAL_TRUSTED_PROXIES: .* is invalid; expected `loopback`, addresses and networks/),
      ]);
    },
  );

  it('names the entries of a list that are wrong, and only those', () => {
    const CORRAL_TRUSTED_PROXIES = '10.0.0.0/8, proxy.example.org, 192.0.2.7, 10.0.0';
    const CORRAL_CORS_ORIGINS = 'https://a.example, *';
    const named = mistakesIn({ CORRAL_TRUSTED_PROXIES, CORRAL_CORS_ORIGINS }).map(
      (mistake) => mistake.split(' is invalid')[0],
    );
    expect(named).toEqual([
      'CORRAL_TRUSTED_PROXIES: "proxy.example.org"',
      'CORRAL_TRUSTED_PROXIES: "10.0.0"',
      'CORRAL_CORS_ORIGINS: "*"',
    ]);
  });

  it('takes origins as browsers write them', () => {
    const CORRAL_CORS_ORIGINS = 'https://tools.example.org, http://localhost:8000, http://[2001:db8::1]:8080';
    expect(loadConfig({ CORRAL_CORS_ORIGINS }).http.corsOrigins).toHaveLength(3);
  });

  it.each([
    '*',
    'null',
    'https://a.example/',
    'https://a.example/x',
    'a.example',
    'https://A.example',
    'https://*.example',
    'https://a.example:443',
    'file:///x',
    'ftp://a.example',
  ])('takes no other origins: %s', (origin) => {
    expect(mistakesIn({ CORRAL_CORS_ORIGINS: `https://a.example, ${origin}` })).toEqual([
      expect.stringMatching(/^CORRAL_CORS_ORIGINS: .* is invalid; expected origins such as/),
    ]);
  });

  it.each([
    ['CORRAL_LIMITS_RATE', '-1'],
    ['CORRAL_LIMITS_RATE', 'many'],
    ['CORRAL_LIMITS_RATE', '1.5'],
    ['CORRAL_LIMITS_CONNECTIONS', '0'],
    ['CORRAL_LIMITS_CONNECTIONS', '9'],
    ['CORRAL_LIMITS_CONNECTIONS_PER_ADDRESS', '-3'],
    ['CORRAL_LIMITS_STREAMS_PER_ADDRESS', ' '],
  ])('takes whole numbers for limits: not %s=%j', (name, value) => {
    expect(mistakesIn({ [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name}: .* is invalid; expected a whole number from`)),
    ]);
  });
});
