import { request } from 'undici';
import { basic, type Client, clientBy } from '../http/http-client.ts';

/** Sends what HIL's client library sends: basic authentication, JSON without a content type, and no body at all. */
export const hilClient = (url: string, name?: string, password = ''): Client => {
  const headers = {
    'user-agent': 'python-requests/2.28.1',
    accept: '*/*',
    ...(name === undefined ? {} : { authorization: basic(name, password) }),
  };
  return clientBy(headers, async (method, path, { body } = {}) => {
    const answer = await request(`${url}/v0${path}`, { method, headers, body: body ?? null });
    const text = await answer.body.text();
    const answered = Object.entries(answer.headers).map(([key, value]): [string, string] => [key, String(value)]);
    return {
      status: answer.statusCode,
      text,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
      headers: new Headers(answered),
    };
  });
};
