import { pemText } from '@corral/base/schema/certificate-fields';
import { type TSchema, Type } from '@sinclair/typebox';
import { SecretLine, Text } from '../../schema/labels.ts';
import { shown } from '../../schema/shown-fields.ts';

/** Where a switch listens for SSH, and how to get in. */
export interface SshLogin {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string | undefined;
  readonly privateKey: string | undefined;
  /** `SHA256:…`, or a public key as in known_hosts: the only host key that is accepted. */
  readonly hostKey: string | undefined;
  readonly allowsLegacyAlgorithms: boolean;
}

/** The field of the password of the privileged mode, of switches that have one. */
export const EnablePassword = Type.Optional(
  Type.String({ ...SecretLine, description: 'the password of the privileged mode, without control characters' }),
);

type Fields = Readonly<Record<string, unknown>>;

/** The fields that every switch over SSH may have beside its host, user and password. */
const optional = (port: number) => ({
  port: Type.Optional(
    shown(Type.Integer({ minimum: 1, maximum: 65535, description: `a TCP port, ${port} if not given` })),
  ),
  private_key: Type.Optional(
    Type.String({ ...pemText, minLength: 1, description: 'a private key in PEM or OpenSSH format' }),
  ),
  host_key: Type.Optional(
    shown(
      Type.String({
        pattern: '^(SHA256:[A-Za-z0-9+/]{43}=?|(ssh|ecdsa)-[a-z0-9-]+ [A-Za-z0-9+/]+=*( [^\\n\\r]*)?)$',
        description: 'the fingerprint ("SHA256:…") or the public key ("ssh-ed25519 AAAA…") of the switch',
      }),
    ),
  ),
  legacy_algorithms: Type.Optional(
    shown(Type.Boolean({ description: 'true for a switch that speaks only old algorithms' })),
  ),
});

/** The fields of a switch that existing clients know: it always has a password. */
export const passwordFields = (port: number, more: Readonly<Record<string, TSchema>> = {}): TSchema =>
  Type.Object(
    { hostname: shown(Text), username: shown(Text), password: SecretLine, ...more, ...optional(port) },
    { additionalProperties: false },
  );

/** The fields of a switch: a password, a private key, or both. */
export const passwordOrKeyFields = (port: number, more: Readonly<Record<string, TSchema>> = {}): TSchema =>
  Type.Object(
    { hostname: shown(Text), username: shown(Text), password: Type.Optional(SecretLine), ...more, ...optional(port) },
    {
      additionalProperties: false,
      anyOf: [{ required: ['password'] }, { required: ['private_key'] }],
      description: '"password" or "private_key"',
    },
  );

const textOf = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
};

/** Reads the fields that the schemas above have checked. */
export const sshLoginFrom = (fields: Fields, defaultPort: number): SshLogin => ({
  host: textOf(fields, 'hostname') ?? '',
  port: typeof fields['port'] === 'number' ? fields['port'] : defaultPort,
  username: textOf(fields, 'username') ?? '',
  password: textOf(fields, 'password'),
  privateKey: textOf(fields, 'private_key'),
  hostKey: textOf(fields, 'host_key'),
  allowsLegacyAlgorithms: fields['legacy_algorithms'] === true,
});
