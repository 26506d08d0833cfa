import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';

const place = /^\/interaction\/[\w-]+(\/cancel)?$/;

/** Where the provider sends a browser that has to log in. */
export const interactionPath = (uid: string): string => `/interaction/${uid}`;

/** The password that every user of the lab's provider has. */
export const oidcPasswordOf = (user: string): string => `password of ${user}`;

/** The provider's login page: a name, a password, a way out. False: the request is for something else. */
export const serveLogin = async (
  provider: Provider,
  users: ReadonlyMap<string, unknown>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> => {
  const found = place.exec(request.url ?? '');
  if (found === null) return false;
  const finish = (result: Parameters<Provider['interactionFinished']>[2]) =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  if (found[1] !== undefined) {
    await finish({ error: 'access_denied', error_description: 'the person went away' });
    return true;
  }
  const { uid } = await provider.interactionDetails(request, response);
  const form = request.method === 'POST' ? await formOf(request) : new URLSearchParams();
  const user = form.get('user') ?? '';
  if (users.has(user) && form.get('password') === oidcPasswordOf(user)) {
    await finish({ login: { accountId: user } });
    return true;
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(uid));
  return true;
};

const page = (uid: string): string => `<!doctype html><title>Who are you?</title>
<form method="post" action="${interactionPath(uid)}">
<label>User <input name="user" autofocus></label>
<label>Password <input name="password" type="password"></label>
<button>Log in</button> <a href="${interactionPath(uid)}/cancel">Cancel</a>
</form>`;

const formOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
};
