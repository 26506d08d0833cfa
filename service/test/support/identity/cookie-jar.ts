/** A browser without a screen: keeps cookies by host, as browsers do, and follows nothing by itself. */
export class CookieJar {
  readonly #cookies = new Map<string, string>();
  readonly visited: string[] = [];

  async open(url: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    this.visited.push(url);
    const { hostname } = new URL(url);
    const cookie = [...this.#cookies]
      .filter(([key]) => key.startsWith(`${hostname} `))
      .map(([key, value]) => `${key.slice(hostname.length + 1)}=${value}`)
      .join('; ');
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: cookie === '' ? {} : { cookie },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) this.#take(hostname, line);
    return response;
  }

  /** Follows redirects until there is a page, or the next address is one that the test wants to see first. */
  async follow(from: Response, until: (url: string) => boolean): Promise<{ response: Response; next: string | null }> {
    let response = from;
    for (;;) {
      const location = response.headers.get('location');
      if (location === null) return { response, next: null };
      const next = new URL(location, response.url).href;
      if (until(next)) return { response, next };
      response = await this.open(next);
    }
  }

  get(host: string, name: string): string | undefined {
    return this.#cookies.get(`${host} ${name}`);
  }

  set(host: string, name: string, value: string): void {
    this.#cookies.set(`${host} ${name}`, value);
  }

  #take(hostname: string, line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '' || /max-age=0(;|$)/i.test(line)) this.#cookies.delete(`${hostname} ${name}`);
    else this.#cookies.set(`${hostname} ${name}`, value);
  }
}
