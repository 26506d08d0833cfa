import type { SwitchHttp, SwitchHttpRequest, SwitchHttpResponse } from './switch-http-client.ts';

/** A line that carries questions only: what would change the switch is given to `held`, and taken for done. */
export class DryHttp implements SwitchHttp {
  readonly #http: SwitchHttp;
  readonly #held: (message: string) => void;

  constructor(http: SwitchHttp, held: (message: string) => void) {
    this.#http = http;
    this.#held = held;
  }

  async ask(request: SwitchHttpRequest, signal: AbortSignal): Promise<SwitchHttpResponse> {
    const { method, path, body, shown = body, isQuestion, done = '' } = request;
    if (method === 'GET' || isQuestion) return this.#http.ask(request, signal);
    signal.throwIfAborted();
    this.#held(shown === undefined ? `${method} ${path}` : `${method} ${path}\n${shown}`);
    return { status: 200, text: done };
  }

  close(): Promise<void> {
    return this.#http.close();
  }
}
