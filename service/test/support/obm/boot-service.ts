import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type LabHost, serveDhcp, serveHttp, wipeProgram } from '@corral/lab';
import type { Client } from '../http/http-client.ts';
import { signatureOf } from '../http/webhook-receiver.ts';
import type { Order } from '../services/boot-site.ts';

/** What a machine reported about itself, and the status of the service's answer. */
interface BootReport extends Pick<Order, 'url' | 'step' | 'token'> {
  readonly outcome: string;
  readonly status: number;
}

/** Something that happened, and how the machine was at that moment. */
interface Witnessed<Told> {
  readonly told: Told;
  readonly machine: unknown;
}

/**
 * What a site has beside the service, as the operator's guide describes it: it takes orders on loopback, and is a host
 * on the cleaning network, where it gives machines addresses and what they boot.
 */
export interface BootService {
  /** Where it takes orders. */
  readonly url: string;
  /** What machines have for the service: stands before it on the cleaning network. */
  readonly publicUrl: string;
  readonly orders: readonly Witnessed<Order>[];
  readonly reports: readonly Witnessed<BootReport>[];
  /** How many machines asked what to boot and were given nothing. */
  readonly unserved: number;
  /** What a machine is to boot with, out of the newest order for it; null: nothing. */
  handOver: (order: Order) => Order | null | Promise<Order | null>;
  stop(): Promise<void>;
}

interface Site {
  /** On the cleaning network, later on. */
  readonly host: LabHost;
  /** The address that machines get. */
  readonly leased: string;
  /** Who calls the service. */
  readonly corral: () => Client;
  readonly webhookSecret: string;
  /** How the machine is now. */
  readonly look: () => Promise<unknown>;
}

/** Starts one that gives machines what was ordered for them. */
export const startBootService = async ({ host, leased, corral, webhookSecret, look }: Site): Promise<BootService> => {
  const orders: Witnessed<Order>[] = [];
  const reports: Witnessed<BootReport>[] = [];
  let unserved = 0;
  const ordered = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const order = await orderIn(request, webhookSecret);
    if (order !== null) orders.push({ told: order, machine: await look() });
    response.writeHead(order === null ? 401 : 204).end();
  };
  const served = async ({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(url, http.url);
    const mac = /^\/boot\/([-0-9a-f]+)\.ipxe$/.exec(pathname)?.[1]?.replaceAll('-', ':');
    if (pathname === '/wipe') response.writeHead(200, { 'content-length': wipeProgram.length }).end(wipeProgram);
    else if (mac !== undefined) {
      const order = orders.findLast(({ told }) => told.nics.some(({ macaddr }) => macaddr === mac))?.told;
      const given = order === undefined ? null : await service.handOver(order);
      if (given === null) unserved += 1;
      response.writeHead(given === null ? 404 : 200).end(given === null ? '' : scriptFor(given, http.url, url));
    } else {
      // The iPXE of a nic can only get. What it says is all that is passed on.
      const words = Object.fromEntries(searchParams) as Pick<BootReport, 'step' | 'token' | 'outcome'>;
      const machine = await look();
      const { status } = await corral().post(pathname.replace(/^\/v0/, ''), words);
      reports.push({ told: { ...words, url: `${http.url}${pathname}`, status }, machine });
      response.writeHead(status).end('heard');
    }
  };
  const server = createServer((request, response) => void ordered(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const http = await serveHttp(host, (request, response) => void served(request, response));
  const dhcp = await serveDhcp(host, leased, `${http.url}/boot/{mac}.ipxe`);
  const service: BootService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/order`,
    publicUrl: http.url,
    orders,
    reports,
    get unserved() {
      return unserved;
    },
    handOver: (order) => order,
    stop: async () => {
      await dhcp.stop();
      await http.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
};

/** null: somebody else sent it. */
const orderIn = async (request: IncomingMessage, secret: string): Promise<Order | null> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const header = (name: string): string => String(request.headers[`webhook-${name}`]);
  const signed = signatureOf({ id: header('id'), timestamp: header('timestamp'), text }, secret);
  return header('signature') === signed ? (JSON.parse(text) as Order) : null;
};

/** What the machine does: wipes its disk, reports, and asks what to do if nobody believes it. */
const scriptFor = ({ url, step, token }: Order, here: string, again: string): string =>
  [
    '#!ipxe',
    `imgfetch --name wipe ${here}/wipe || exit`,
    'imgexec wipe && set outcome clean || set outcome failed',
    `imgfetch --name heard ${url}?step=${step}&token=${token}&outcome=\${outcome} || chain ${here}${again}`,
    '',
  ].join('\n');
