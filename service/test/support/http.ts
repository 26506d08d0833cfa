/** An answer, taken apart. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  readonly headers: Headers;
}

/** Makes calls as one user, or as nobody. */
export interface Client {
  get(path: string): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  del(path: string): Promise<Answer>;
  send(
    method: string,
    path: string,
    options?: { body?: string | Buffer; headers?: Record<string, string> },
  ): Promise<Answer>;
  readonly headers: Readonly<Record<string, string>>;
}

export const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** A client of a service; paths are below /v0. */
export const clientOf = (url: string, authorization?: string): Client =>
  clientWith(url, authorization === undefined ? {} : { authorization });

/** The same with whatever headers its credentials come in. */
export const clientWith = (url: string, headers: Readonly<Record<string, string>>): Client => {
  const send: Client['send'] = async (method, path, options = {}) => {
    const response = await fetch(`${url}/v0${path}`, {
      method,
      headers: { ...headers, ...options.headers },
      redirect: 'manual',
      ...(options.body === undefined ? {} : { body: options.body }),
    });
    const text = await response.text();
    return { status: response.status, text, body: parsed(text), headers: response.headers };
  };
  return clientBy(headers, send);
};

/** A client whose requests are sent in this way. */
export const clientBy = (headers: Client['headers'], send: Client['send']): Client => {
  const json = (method: string) => (path: string, body?: unknown) =>
    send(method, path, body === undefined ? {} : { body: JSON.stringify(body) });
  return {
    headers,
    send,
    get: json('GET'),
    put: json('PUT'),
    post: json('POST'),
    patch: json('PATCH'),
    del: json('DELETE'),
  };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
