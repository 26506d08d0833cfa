import { createServer, type IncomingMessage } from 'node:http';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { newKeyPair } from '@corral/lab';
import ssh2 from 'ssh2';

/** A device that says back everything it is sent. */
export interface Echo {
  readonly port: number;
  /** How often it was asked. */
  readonly count: () => number;
  stop(): Promise<void>;
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });

const stopper = (server: Server, sockets: ReadonlySet<Socket>) => async (): Promise<void> => {
  for (const socket of sockets) socket.destroy();
  await new Promise<void>((resolve) => server.close(() => resolve()));
};

/** One more address of a device: two switches at one address would be one. */
export const openDoorTo = async (port: number): Promise<Pick<Echo, 'port' | 'stop'>> => {
  const sockets = new Set<Socket>();
  const server = createTcpServer((from) => {
    const to = connect(port, '127.0.0.1');
    for (const socket of [from, to]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    from.pipe(to).pipe(from);
  });
  return { port: await listen(server), stop: stopper(server, sockets) };
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** An HTTP server whose errors repeat the whole request; the status is the number in its path, or 500. */
export const startHttpEcho = async (token?: () => string): Promise<Echo> => {
  let asked = 0;
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      asked += 1;
      const url = request.url ?? '';
      if (token && request.method === 'POST' && url.endsWith('/token')) {
        response.end(JSON.stringify({ token: token() }));
        return;
      }
      const said = `${request.method ?? ''} ${decodeURIComponent(url)} ${url} ${JSON.stringify(request.headers)} ${body}`;
      response.statusCode = Number(/\/e(\d{3})\//.exec(url)?.[1] ?? 500);
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ msg: said, message: said, error: { code: 'Base.1.0.GeneralError', message: said } }),
      );
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return { port: await listen(server), count: () => asked, stop: stopper(server, sockets) };
};

/** An SSH server that lets everybody in, and then repeats password and lines, and never shows a prompt. */
export const startSshEcho = async (): Promise<Echo> => {
  let asked = 0;
  const sockets = new Set<Socket>();
  const ssh = new ssh2.Server({ hostKeys: [newKeyPair().privateKey] }, (client) => {
    let password = '';
    client.on('error', () => undefined);
    client.on('authentication', (context) => {
      if (context.method !== 'password') return context.reject(['password']);
      password = context.password;
      context.accept();
    });
    client.on('session', (accept) => {
      asked += 1;
      const session = accept();
      const talk = (channel: ssh2.ServerChannel): void => {
        channel.write(`welcome, your password is ${password}\r\npassword ${password} is no good`);
        channel.on('data', (bytes: Buffer) =>
          channel.write(`\r\nyou said ${bytes.toString().trim()} with ${password}`),
        );
      };
      session.on('pty', (acceptPty: (() => void) | undefined) => acceptPty?.());
      session.on('shell', (acceptShell) => talk(acceptShell()));
      session.on('exec', (acceptExec) => talk(acceptExec()));
      session.on('subsystem', (acceptSubsystem: () => ssh2.ServerChannel) => talk(acceptSubsystem()));
    });
  });
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    ssh.injectSocket(socket);
  });
  return { port: await listen(server), count: () => asked, stop: stopper(server, sockets) };
};
