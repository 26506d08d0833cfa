import { hasPart, startKeystone, startOidc } from '@corral/lab';
import { call, password, withNodes } from '../installation.ts';
import { say } from '../options.ts';
import { compareReads, showNodePaths } from '../reads.ts';
import { type Figure, processorFigure, type Results } from '../report.ts';

type Headers = Readonly<Record<string, string>>;

const nodes = 1_000;
const audience = 'https://corral.example.org/';

/** What show_node costs by kind of credentials, each an administrator's, beside a bare Fastify that asks for none. */
export const measure = async (): Promise<Results> => {
  const figures: Figure[] = [];
  const add = async (kind: string, headersOf: (url: string) => Promise<Headers>, env: Headers = {}): Promise<void> => {
    say(`show_node with ${kind}`);
    const { corral, bare } = await withNodes(
      nodes,
      async (installation, service) =>
        compareReads(installation, service, showNodePaths(nodes), await headersOf(service.url)),
      env,
    );
    figures.push(processorFigure(`show_node with ${kind}, processor time`, corral, bare, null));
  };
  await add('a token', tokenOf);
  await add("a browser's session", sessionOf);
  await withOidc((env, token) => add('a JWT of an OpenID provider', () => token, env));
  if (hasPart('Keystone')) await withKeystone((env, token) => add('a Keystone token', () => token, env));
  else say('show_node with a Keystone token: left out, because Keystone is not installed (npm run parts)');
  return { figures };
};

const tokenOf = async (url: string): Promise<Headers> => {
  const { token } = (await call(url, 'PUT', '/auth/token/bench', {})) as { readonly token: string };
  return { authorization: `Bearer ${token}` };
};

const sessionOf = async (url: string): Promise<Headers> => {
  const answer = await fetch(`${url}/v0/auth/session`, {
    method: 'POST',
    headers: { origin: url },
    body: JSON.stringify({ username: 'admin', password }),
  });
  const [cookie = ''] = answer.headers.getSetCookie();
  return { cookie: cookie.split(';')[0] ?? '' };
};

const withOidc = async (work: (env: Headers, token: Promise<Headers>) => Promise<void>): Promise<void> => {
  const oidc = await startOidc();
  try {
    oidc.user('alice', { roles: ['operator'] });
    const token = oidc.accessToken('alice', { audience, ttlSeconds: 3600 });
    const env = {
      CORRAL_AUTH: 'database,oidc',
      CORRAL_OIDC_ISSUER: oidc.issuer,
      CORRAL_OIDC_AUDIENCE: audience,
      CORRAL_OIDC_ADMIN_CLAIM: 'roles',
      CORRAL_OIDC_ADMIN_VALUE: 'operator',
    };
    await work(
      env,
      token.then((text) => ({ authorization: `Bearer ${text}` })),
    );
  } finally {
    await oidc.stop();
  }
};

const withKeystone = async (work: (env: Headers, token: Promise<Headers>) => Promise<void>): Promise<void> => {
  const keystone = await startKeystone();
  try {
    const { api, service } = keystone;
    const user = await api.user('alice');
    await api.assign(user, 'admin', { project: service.projectId });
    const token = api.token(user, { project: service.projectId });
    const env = {
      CORRAL_AUTH: 'database,keystone',
      CORRAL_KEYSTONE_URL: keystone.url,
      CORRAL_KEYSTONE_USERNAME: service.name,
      CORRAL_KEYSTONE_PASSWORD: service.password,
      CORRAL_KEYSTONE_PROJECT: service.project,
    };
    await work(
      env,
      token.then((text) => ({ 'x-auth-token': text })),
    );
  } finally {
    await keystone.stop();
  }
};
