import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AllowList } from '@corral/base/http/allow-list';
import { Outbound } from '@corral/base/http/outbound';
import { onTestFinished } from 'vitest';

/** Where every name is, until the test says otherwise. */
export class Names {
  /** In the order in which they are to be tried. */
  addresses: readonly string[] = ['127.0.0.1'];
  /** Called after each answer, so that the next one can be another. */
  afterwards = (): void => undefined;
  readonly asked: string[] = [];

  /** Only to what the list names; without entries, as if there were no list. */
  outbound(...allow: readonly string[]): Outbound {
    return new Outbound({
      allow: AllowList.from(allow, (entry) => {
        throw new Error(`${entry} is no entry`);
      }),
      setting: 'outbound.allow',
      resolve: (host) => {
        this.asked.push(host);
        const found = this.addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
        this.afterwards();
        return Promise.resolve(found);
      },
    });
  }
}

/** A place where nothing of ours should ever arrive. */
export interface Trap {
  readonly origin: string;
  /** How often somebody connected, and what was asked of it then. */
  readonly visits: () => readonly string[];
}

/**
 * Starts one, which ends with the test. At a port that somebody else was given, it needs an address of its test file's
 * own: at one that several use, the port may be taken.
 */
export const startTrap = async (address = '127.0.0.1', port = 0): Promise<Trap> => {
  const visits: string[] = [];
  const server = createServer((request, response) => {
    visits.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers.authorization ?? ''}`);
    response.end('{"token": "0123456789abcdef", "power_status": "on"}');
  });
  server.on('connection', () => visits.push('a connection'));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://${address}:${(server.address() as AddressInfo).port}`, visits: () => visits };
};
