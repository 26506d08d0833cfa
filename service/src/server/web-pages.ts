import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../core/corral-error.ts';
import { refuseUnknown, unknownRoute } from './request-guard.ts';

/** Addresses of pages: the page that is sent for each is the same, and draws what its address says. */
const pageAddresses = [
  '/',
  '/sign-in',
  ...['nodes', 'networks', 'headnodes', 'switches'].flatMap((list) => [`/${list}`, `/${list}/*`]),
  '/topology',
  '/drift',
  '/cleaning',
  '/setup',
  '/setup/*',
  '/racks',
  '/claims',
  '/releases',
  '/events',
  '/projects',
  '/quotas',
  '/subscriptions',
  '/usage',
  '/isolation',
  '/users',
  '/account',
];

/** Nothing from elsewhere, no script or style in the page itself but what has this answer's own nonce. */
const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** How a file may be sent, the smallest first. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

/** A file of the pages, and which of its compressed forms there are. */
interface PageFile {
  readonly path: string;
  readonly type: string;
  readonly compressed: readonly (typeof encodings)[number][];
}

/** The pages for browsers, out of the folder that they were built into. Without it, `/` leads to the reference. */
export const serveWebPages = async (server: FastifyInstance, folder: URL): Promise<void> => {
  const index = await readFile(new URL('index.html', folder), 'utf8').catch(() => null);
  if (index === null) {
    server.get('/', (_request, reply) => reply.redirect('/reference'));
    server.setNotFoundHandler(refuseUnknown);
    return;
  }
  // Only browsers get here: the page says that there is none, and has the way to the others.
  server.setNotFoundHandler((_request, reply) => sendIndex(reply.status(404).header('vary', 'accept'), index));
  for (const address of pageAddresses) {
    server.get(address, (request, reply) => {
      // A script that left out /v0 is not to take a page for an answer.
      if (address !== '/' && !(request.headers.accept ?? '').includes('text/html')) throw unknownRoute(request);
      return sendIndex(reply.header('vary', 'accept'), index);
    });
  }
  for (const file of await filesIn(folder)) {
    server.get(`/${file.path}`, (request, reply) => sendFile(request, reply, folder, file));
  }
};

const sendIndex = (reply: FastifyReply, index: string): FastifyReply => {
  const nonce = randomBytes(16).toString('base64');
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policyWith(nonce))
    .send(index.replaceAll('__NONCE__', nonce));
};

const filesIn = async (folder: URL): Promise<readonly PageFile[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const root = fileURLToPath(folder);
  const names = new Set(
    entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => relative(root, join(parentPath, name))),
  );
  return [...names].flatMap((path) => {
    const type = types[extname(path)];
    const compressed = encodings.filter(({ suffix }) => names.has(`${path}${suffix}`));
    return type === undefined ? [] : [{ path, type, compressed }];
  });
};

/** The name of an asset has a hash of its content: what was sent under it once is right for ever. */
const cachingOf = (path: string): string =>
  path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';

const sendFile = async (
  request: FastifyRequest,
  reply: FastifyReply,
  folder: URL,
  { path, type, compressed }: PageFile,
): Promise<FastifyReply> => {
  const accepted = request.headers['accept-encoding'] ?? '';
  const encoding = compressed.find(({ name }) => takes(accepted, name));
  const bytes = await readFile(new URL(`${path}${encoding?.suffix ?? ''}`, folder)).catch((cause: unknown) => {
    throw notFound(`${path} is not there any more: the pages were built anew; load the page again`, { cause });
  });
  if (encoding !== undefined) reply.header('content-encoding', encoding.name);
  return reply
    .type(type)
    .headers({ 'cache-control': cachingOf(path), vary: 'accept-encoding' })
    .send(bytes);
};

const takes = (accepted: string, name: string): boolean =>
  accepted.split(',').some((part) => {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return coding === name && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
