import { Type } from '@sinclair/typebox';

/** What is taken for an address: the ordinary ones of ASCII, without quotes, comments and groups. */
const local = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*";
const name = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const address = new RegExp(`^(?!-)(?=.{1,64}@)${local}@${name}(?:\\.${name})*$`);
const longest = 254;

export const mailAddressRule = 'a plain mail address such as ada@example.org';

/** The address in lower case, as it is kept and compared; null: it is none. */
export const mailAddressIn = (text: string): string | null => {
  const lower = text.toLowerCase();
  return text.length <= longest && /^[\x21-\x7e]+$/.test(text) && address.test(lower) ? lower : null;
};

export const MailAddress = Type.String({ minLength: 1, maxLength: longest, description: mailAddressRule });
