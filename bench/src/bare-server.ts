import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

/** The comparator of reads: a Fastify that returns the same bytes and does nothing else. */
const [, , file = ''] = process.argv;
const bytes = readFileSync(file, 'utf8');
const server = fastify();
server.get('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes));
const url = await server.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`ready at ${url}\n`);
process.once('SIGTERM', () => process.exit(0));
