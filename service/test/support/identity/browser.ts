import { expect } from 'vitest';
import { type Answer, type Client, clientBy } from '../http/http-client.ts';
import { raw } from '../http/raw-request.ts';
import { passwordOf, type Service } from '../services/service.ts';

type Headers = Readonly<Record<string, string>>;

/** A client that sends exactly these headers; fetch would add some of its own. */
export const bareClient = (url: string, headers: Headers): Client =>
  clientBy(headers, (method, path, options = {}) =>
    raw(url, {
      method,
      path,
      headers: { ...headers, ...options.headers },
      ...(options.body === undefined ? {} : { body: options.body }),
    }),
  );

/** What a browser says when a page of the service asks. */
export const ownPage = (service: Pick<Service, 'url'>): Headers => ({
  origin: service.url,
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
  'user-agent': 'a browser',
});

/** The cookie that an answer sets, as it is sent back. */
export const cookieOf = ({ headers }: Answer): string => headers.get('set-cookie')?.split(';')[0] ?? '';

export const tryToSignIn = (
  service: Pick<Service, 'url'>,
  username: string,
  password = passwordOf(username),
): Promise<Answer> => bareClient(service.url, ownPage(service)).post('/auth/session', { username, password });

/** A browser whose user has signed in, on a page of the service. */
export const signIn = async (service: Pick<Service, 'url'>, username: string, password?: string): Promise<Client> => {
  const answer = await tryToSignIn(service, username, password);
  expect(answer.status, answer.text).toBe(200);
  return bareClient(service.url, { ...ownPage(service), cookie: cookieOf(answer) });
};

/** Makes a token as somebody and answers with its text. */
export const makeToken = async (client: Client, name: string, body: object = {}): Promise<string> => {
  const answer = await client.put(`/auth/token/${name}`, body);
  expect(answer.status, answer.text).toBe(200);
  return (answer.body as { token: string }).token;
};

/** A script that comes with a token. */
export const scriptWith = (service: Pick<Service, 'url'>, token: string): Client =>
  bareClient(service.url, { authorization: `Bearer ${token}` });
