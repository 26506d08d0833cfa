import { Type } from '@sinclair/typebox';

/** A password that is set now, in place of another or for an administrator. */
export const NewPassword = Type.String({
  minLength: 8,
  maxLength: 1024,
  description: 'a password of 8 to 1024 characters',
});
