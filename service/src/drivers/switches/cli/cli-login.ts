import { type TSchema, Type } from '@sinclair/typebox';
import { shown } from '../../../schema/shown-fields.ts';
import { EnablePassword, passwordFields, passwordOrKeyFields, type SshLogin, sshLoginFrom } from '../ssh-login.ts';

/** How to get into a switch, and into its privileged mode. */
export interface Login extends SshLogin {
  readonly enablePassword: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, TSchema>>;

/** The fields of a switch that existing clients know: it always has a password. */
export const passwordLogin = (more: Schemas = {}): TSchema =>
  passwordFields(22, { ...more, enable_password: EnablePassword });

/** The fields of a switch: a password, a private key, or both. */
export const passwordOrKeyLogin = (more: Schemas = {}): TSchema =>
  passwordOrKeyFields(22, { ...more, enable_password: EnablePassword });

/** The field of a VLAN that nobody uses: ports without networks are parked in it. */
export const dummyVlan: TSchema = shown(
  Type.Union(
    [
      Type.Integer({ minimum: 1, maximum: 4094 }),
      Type.String({ pattern: '^0*([1-9][0-9]{0,2}|[1-3][0-9]{3}|40[0-8][0-9]|409[0-4])$' }),
    ],
    { description: 'the number of a VLAN that nothing else uses, 1 to 4094' },
  ),
);

/** Reads the fields that the schemas above have checked. */
export const loginFrom = (fields: Fields): Login => ({
  ...sshLoginFrom(fields, 22),
  enablePassword: typeof fields['enable_password'] === 'string' ? fields['enable_password'] : undefined,
});

/** The number in `dummy_vlan`; null where a switch has no such field. */
export const dummyVlanFrom = (fields: Fields): number | null =>
  fields['dummy_vlan'] === undefined ? null : Number(fields['dummy_vlan']);
