import { pemText } from '@corral/base/schema/certificate-fields';
import { Type } from '@sinclair/typebox';
import { Text } from '../../../schema/labels.ts';
import { shown } from '../../../schema/shown-fields.ts';
import { type Address, addressPattern, parseAddress, type TlsCredentials } from './ovs-address.ts';

/** The grammar of names in an Open vSwitch that this driver takes: interfaces, bonds and bridges. */
export const namePattern = '^[A-Za-z0-9_][A-Za-z0-9_.:@+-]{0,63}$';
export const nameRule = '1 to 64 letters, digits and . _ : @ + -, with a letter, a digit or _ first';

const pem = (what: string) =>
  Type.String({
    ...pemText,
    pattern: '^\\s*-----BEGIN [A-Z0-9 ]+-----',
    maxLength: 65_536,
    description: `${what} in PEM format`,
  });
/** A field that is shown: a key beside it would be readable. */
const certificate = (what: string) =>
  shown(
    Type.String({
      ...pemText,
      pattern: '^(?![^]*PRIVATE KEY)\\s*-----BEGIN [A-Z0-9 ]+-----',
      maxLength: 65_536,
      description: `${what} in PEM format, without a private key`,
    }),
  );

/** The fields of switch_register. */
export const ovsFields = Type.Object(
  {
    ovs_bridge: shown(Type.String({ pattern: namePattern, description: `the name of a bridge: ${nameRule}` })),
    ovsdb: Type.Optional(
      shown(
        Type.String({
          pattern: addressPattern,
          description: '"unix:PATH", "tcp:HOST:PORT" or "ssl:HOST:PORT", with a port from 1 to 65535',
        }),
      ),
    ),
    ca_certificate: Type.Optional(certificate('the certificate of the authority of the switch,')),
    certificate: Type.Optional(certificate('our own certificate')),
    private_key: Type.Optional(pem('the key of our certificate')),
    server_name: Type.Optional(shown(Text)),
    unixctl: Type.Optional(
      shown(
        Type.String({
          pattern: '^/[^\\u0000-\\u001f]{1,106}$',
          description: 'the path of the control socket of ovs-vswitchd, on the machine of the service',
        }),
      ),
    ),
    settle_ms: Type.Optional(
      shown(Type.Integer({ minimum: 0, maximum: 10_000, description: '0 to 10000 milliseconds' })),
    ),
  },
  { additionalProperties: false },
);

/** A bridge, and how to reach the database that it is in. */
export interface OvsTarget {
  readonly bridge: string;
  readonly address: Address;
  readonly tls: TlsCredentials;
  readonly settleMs: number;
  /** The control socket of ovs-vswitchd; undefined: it is beside the socket of the database, if anywhere. */
  readonly control: string | undefined;
}

const usualAddress = 'unix:/var/run/openvswitch/db.sock';
/**
 * Flows that the datapath has cached outlive the configuration that made them, and nothing in the database says for
 * how long. Measured after "applied", on two busy cores: 15 ms with 2000 flows, 161 ms with three
 * hosts that send 3,800 tags each, and 495 ms with the 40,000 flows that two hosts make who invent addresses. A
 * tenant can do that, so this is twice the worst.
 */
const usualSettleMs = 1_000;

export const targetFrom = (fields: Readonly<Record<string, unknown>>): OvsTarget => {
  const text = (name: string): string | undefined => {
    const value = fields[name];
    return typeof value === 'string' ? value : undefined;
  };
  const bridge = text('ovs_bridge');
  if (bridge === undefined) throw new Error('the switch has no field ovs_bridge');
  const settleMs = fields['settle_ms'];
  return {
    bridge,
    address: parseAddress(text('ovsdb') ?? usualAddress),
    tls: {
      ca: text('ca_certificate'),
      certificate: text('certificate'),
      privateKey: text('private_key'),
      serverName: text('server_name'),
    },
    control: text('unixctl'),
    settleMs: typeof settleMs === 'number' ? settleMs : usualSettleMs,
  };
};
