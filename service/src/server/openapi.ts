import { statusOf } from './http-errors.ts';
import type { JsonSchema } from './json-schema.ts';
import { mediaTypes } from './route-reply.ts';
import type { Route } from './route.ts';
import type { RouteGroup } from './routes/all-routes.ts';

const errorSchema = {
  type: 'object',
  required: ['type', 'msg'],
  properties: {
    type: { type: 'string', enum: Object.keys(statusOf) },
    msg: { type: 'string', description: 'one sentence a person can act on' },
  },
};

/** What credentials can look like; which of them an installation takes, its configuration says. */
const securitySchemes = {
  basic: { type: 'http', scheme: 'basic', description: 'a user of the database' },
  bearer: { type: 'http', scheme: 'bearer', description: 'an API token, `corral_…`, or a JWT of an OpenID provider' },
  keystone: { type: 'apiKey', in: 'header', name: 'X-Auth-Token', description: 'a token of Keystone' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'corral_session',
    description: 'of a browser that signed in, for pages of this service; `__Host-corral_session` behind TLS',
  },
};
const anyCredentials = Object.keys(securitySchemes).map((scheme) => ({ [scheme]: [] }));

/** The OpenAPI 3.1 document of the calls there are: made from the route list, so it cannot be wrong about it. */
export const openApi = (groups: readonly RouteGroup[], version: string): object => {
  const paths = new Map<string, Map<string, object>>();
  for (const { title, routes } of groups) {
    for (const route of routes) {
      const path = `/v0${route.path.replace(/:(\w+)/g, '{$1}')}`;
      const methods = paths.get(path) ?? new Map<string, object>();
      paths.set(path, methods.set(route.method.toLowerCase(), operationOf(route, title)));
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Corral',
      version,
      summary: 'Hardware reservation and network isolation',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: groups.map(({ title }) => ({ name: title })),
    security: [...anyCredentials, {}],
    paths: Object.fromEntries([...paths].map(([path, methods]) => [path, Object.fromEntries(methods)])),
    components: {
      schemas: { Error: errorSchema },
      securitySchemes,
    },
  };
};

const operationOf = (route: Route, tag: string): object => ({
  operationId: operationId(route),
  summary: route.summary,
  description: `Who may call: ${route.auth}.`,
  tags: [tag],
  ...securityOf(route),
  parameters: [...parametersOf(route.params, 'path'), ...parametersOf(route.query, 'query')],
  ...(hasBody(route) ? { requestBody: bodyOf(route) } : {}),
  responses: {
    [route.status]: { description: 'Done', ...contentOf(route) },
    ...(route.mayWait ? { 202: { description: 'Queued', ...contentOf(route) } } : {}),
    default: {
      description: 'Refused',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  },
});

const securityOf = ({ access }: Route): object => {
  if (access === 'anyone' || access === 'visitor') return {};
  return { security: access === 'sign-in' ? [] : anyCredentials };
};

/** The interface's name, in the spelling of programs: `nodeConnectNetwork`. */
const operationId = ({ name, path }: Route): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) + (path.endsWith('/') ? 'Slash' : '');

const parametersOf = ({ properties = {}, required = [] }: JsonSchema, where: 'path' | 'query'): object[] =>
  Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    description: property.description,
    schema: property,
  }));

/** Does the call take a body at all? */
export const hasBody = ({ body }: Route): boolean => {
  const { properties = {}, additionalProperties }: JsonSchema = body;
  return additionalProperties === true || Object.keys(properties).length > 0;
};

const bodyOf = ({ body }: Route): object => {
  const { required = [] }: JsonSchema = body;
  return { required: required.length > 0, content: { 'application/json': { schema: body } } };
};

const contentOf = ({ reply }: Route): object => {
  switch (reply.kind) {
    case 'none':
      return {};
    case 'json':
      return { content: { 'application/json': { schema: reply.schema } } };
    default:
      return { content: { [mediaTypes[reply.kind]]: { schema: { type: 'string', format: 'binary' } } } };
  }
};
