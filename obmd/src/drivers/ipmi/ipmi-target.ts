import { type Static, Type } from '@sinclair/typebox';

/** A BMC that speaks IPMI, and how it is spoken to. */
export interface IpmiTarget {
  readonly addr: string;
  /** UDP. */
  readonly port: number;
  readonly user: string;
  readonly pass: string;
  readonly cipher: number;
  readonly privilege: 'administrator' | 'operator';
  /** Of the machine's firmware: a boot device is asked for in the same mode. */
  readonly bootMode: 'uefi' | 'bios';
  /** ipmitool, by name or path. */
  readonly program: string;
}

// An address never starts with a dash, so it cannot be taken for an option.
const host = '[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?';
const portDigits = '[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]';
const ipv6 = '[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*';

/** The fields of `info`. IPMI keeps names in 16 bytes and passwords in 20, and knows no encoding but ASCII. */
export const ipmiInfo = Type.Object(
  {
    addr: Type.String({
      maxLength: 253,
      pattern: `^(${host}|${ipv6})$`,
      description: 'a host name or address, without a port',
    }),
    user: Type.String({ pattern: '^[ -~]{1,16}$', description: '1 to 16 printable ASCII characters' }),
    pass: Type.String({ pattern: '^[ -~]{1,20}$', description: '1 to 20 printable ASCII characters' }),
    port: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 65535 }), Type.String({ pattern: `^(${portDigits})$` })], {
        description: 'a UDP port; 623 if left out',
      }),
    ),
    cipher: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: 17 }), Type.String({ pattern: '^([0-9]|1[0-7])$' })], {
        description: 'the number of a cipher suite, 0 to 17; 3 if left out',
      }),
    ),
    privilege: Type.Optional(
      Type.Union([Type.Literal('administrator'), Type.Literal('operator')], {
        description: '"administrator" or "operator"; "administrator" if left out',
      }),
    ),
    boot_mode: Type.Optional(
      Type.Union([Type.Literal('uefi'), Type.Literal('bios')], {
        description: '"uefi" or "bios"; "uefi" if left out',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Reads the fields above, which the schema has checked. */
export const ipmiTargetFrom = (info: Readonly<Record<string, unknown>>): IpmiTarget => {
  const { addr, user, pass, port, cipher, privilege, boot_mode } = info as Static<typeof ipmiInfo>;
  return {
    ...{ addr, user, pass },
    port: Number(port ?? 623),
    // HMAC-SHA1 and AES-128: the one that every IPMI 2.0 BMC has to know. 17, with SHA-256, is missing on many.
    cipher: Number(cipher ?? 3),
    privilege: privilege ?? 'administrator',
    bootMode: boot_mode ?? 'uefi',
    program: 'ipmitool',
  };
};
