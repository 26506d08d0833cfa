import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from './probe-questions.ts';

/* The comparator of consoles: a server that sends the same lines to every client, and does nothing else. */
const responses: ServerResponse[] = [];
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/octet-stream' }).flushHeaders();
  responses.push(response);
});
answerQuestions(() => responses.map((response) => (line) => void response.write(line)));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
