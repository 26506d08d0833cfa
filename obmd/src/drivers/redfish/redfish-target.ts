import { trustFields } from '@corral/base/schema/certificate-fields';
import { Type } from '@sinclair/typebox';

/** Where a BMC's Redfish service is, who we are there, and how its certificate is checked. */
export interface RedfishTarget {
  /** Scheme, host and port: all that our credentials are ever sent to. */
  readonly origin: string;
  readonly user: string;
  readonly pass: string;
  /** Id or address of the machine, where a BMC has several. */
  readonly system: string | undefined;
  /** Certificates, in PEM, that are trusted instead of those of the system. */
  readonly ca: string | undefined;
  /** SHA-256 of the only certificate that is accepted, in small hexadecimal digits. */
  readonly fingerprint: string | undefined;
}

const host = '([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+\\])';

/** The fields of `info`. */
export const redfishInfo = Type.Object(
  {
    url: Type.String({
      maxLength: 300,
      pattern: `^https?://${host}(:[1-9][0-9]{0,4})?(/(redfish/?(v1/?)?)?)?$`,
      description: 'where the BMC is, like "https://bmc-7.example.org"',
    }),
    user: Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[^:\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
      description: 'a user name without a colon or control characters',
    }),
    pass: Type.String({ maxLength: 1000, description: 'a password' }),
    system: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: '^[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$',
        description: 'the id of a system, like "System.Embedded.1"',
      }),
    ),
    ...trustFields,
  },
  { additionalProperties: false },
);

/** Reads the fields above. */
export const targetFrom = (info: Readonly<Record<string, unknown>>): RedfishTarget => {
  const text = (name: string): string | undefined => {
    const value = info[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    origin: new URL(text('url') ?? '').origin,
    user: text('user') ?? '',
    pass: text('pass') ?? '',
    system: text('system'),
    ca: text('ca'),
    fingerprint: text('fingerprint')?.replaceAll(':', '').toLowerCase(),
  };
};
