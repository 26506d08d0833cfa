/** A way to say who is calling. */
export interface Credentials {
  /** The headers that say it; asked for before every request. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Told that the service refused them. True: there may be better ones now, and the request is made once more. */
  renew?(signal: AbortSignal): Promise<boolean>;
}

/** A user name and a password, by HTTP Basic. */
export const basic = (username: string, password: string): Credentials => {
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  const authorization = `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
  return { headers: () => Promise.resolve({ authorization }) };
};

/** An API token, or a JWT of the OpenID provider. */
export const token = (text: string): Credentials => ({
  headers: () => Promise.resolve({ authorization: `Bearer ${text}` }),
});

/** A Keystone token that is at hand already. */
export const keystoneToken = (text: string): Credentials => ({
  headers: () => Promise.resolve({ 'x-auth-token': text }),
});

/** The session of the browser that this page runs in, or nobody at all. */
export const none: Credentials = { headers: () => Promise.resolve({}) };
