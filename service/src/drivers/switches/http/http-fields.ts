import { trustFields } from '@corral/base/schema/certificate-fields';
import { type TSchema, Type } from '@sinclair/typebox';
import { Text } from '../../../schema/labels.ts';
import { shown } from '../../../schema/shown-fields.ts';
import { portPattern } from '../switch-addresses.ts';

/** Where a switch answers HTTP, who we are there, and how its certificate is checked. */
export interface HttpTarget {
  /** Scheme, host and port: all that our credentials are ever sent to. */
  readonly origin: string;
  readonly username: string;
  readonly password: string;
  /** Certificates, in PEM, that are trusted instead of those of the system. */
  readonly ca: string | undefined;
  /** SHA-256 of the only certificate that is accepted, in hexadecimal digits. */
  readonly fingerprint: string | undefined;
}

/** What a kind of switch speaks when `hostname` does not say. */
export interface HttpDefaults {
  readonly scheme: 'http' | 'https';
  readonly ports: { readonly http: number; readonly https: number };
}

const host = '([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+\\])';

/** The fields of switch_register that every switch behind HTTP takes. */
export const httpFields = (more: Readonly<Record<string, TSchema>> = {}): TSchema =>
  Type.Object(
    {
      hostname: shown(
        Type.String({
          maxLength: 255,
          pattern: `^(https?://)?${host}(:${portPattern})?/?$`,
          description:
            'a host name or address, with "http://" or "https://" before it and ":PORT" (1 to 65535) after it if need be',
        }),
      ),
      username: shown(Text),
      password: Type.String({ description: 'a password' }),
      ...more,
      port: Type.Optional(shown(Type.Integer({ minimum: 1, maximum: 65535, description: 'a TCP port' }))),
      ca: shown(trustFields.ca),
      fingerprint: shown(trustFields.fingerprint),
    },
    { additionalProperties: false },
  );

type Fields = Readonly<Record<string, unknown>>;

/** The text of a field that the schema has checked. */
export const textField = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
};

/** Reads the fields above. A certificate to check means https, unless the hostname says otherwise. */
export const httpTargetFrom = (fields: Fields, defaults: HttpDefaults): HttpTarget => {
  const ca = textField(fields, 'ca');
  const fingerprint = textField(fields, 'fingerprint')?.replaceAll(':', '').toLowerCase();
  const isChecked = ca !== undefined || fingerprint !== undefined;
  const written = textField(fields, 'hostname') ?? '';
  const named = /^https?:/.test(written) ? written : `${isChecked ? 'https' : defaults.scheme}://${written}`;
  const url = new URL(named);
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  if (isChecked && scheme === 'http')
    throw new Error('http:// has no certificate to check; use https:// in "hostname"');
  // URL hides a port that is the usual one of its scheme; the switch's usual one may be another.
  const given = typeof fields['port'] === 'number' ? fields['port'] : /:(\d+)\/?$/.exec(written)?.[1];
  return {
    origin: `${scheme}://${url.hostname}:${given ?? defaults.ports[scheme]}`,
    username: textField(fields, 'username') ?? '',
    password: textField(fields, 'password') ?? '',
    ca,
    fingerprint,
  };
};
