import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { hasPart } from '@corral/lab';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sharedChromium } from '../../service/test/support/identity/chromium.ts';
import { passwordOf, type Service, serviceForTest } from '../../service/test/support/services/service.ts';
import { done, makeNode, makeProject, makeUser, reserve } from '../../service/test/support/services/world.ts';
import { buildSdk } from '../../test/support/built-program.ts';
import type * as Sdk from '../src/index.ts';
import { path } from './support/blocks.ts';

/** In the page: the SDK as its script has it. */
declare const sdk: typeof Sdk;

const html = `<!doctype html><title>tools</title>
<script type="module">
  globalThis.sdk = await import('/sdk/index.js');
</script>`;

/** Somebody's page with the SDK beside it, on an origin of its own. */
const startSite = async (): Promise<string> => {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const file = pathname.startsWith('/sdk/') ? readFile(path(`client/dist/${basename(pathname)}`), 'utf8') : html;
    const type = pathname.startsWith('/sdk/') ? 'text/javascript' : 'text/html';
    Promise.resolve(file).then(
      (text) => response.writeHead(200, { 'content-type': type }).end(text),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

describe.skipIf(!hasPart('Chromium'))('the SDK in a browser', () => {
  beforeAll(buildSdk);
  const newBrowser = sharedChromium();

  const pageAt = async (url: string): Promise<Page> => {
    const page = await (await newBrowser()).newPage();
    await page.goto(url);
    await page.waitForFunction('globalThis.sdk !== undefined');
    return page;
  };

  /** Ada's project red has node n1; she is also on a page of another origin, which the service may know. */
  const scene = async (
    isKnown = true,
  ): Promise<{ service: Service; page: Page; caller: { url: string; password: string } }> => {
    const site = await startSite();
    const service = await serviceForTest('sqlite', isKnown ? { CORRAL_CORS_ORIGINS: site } : {});
    await makeProject(service, 'red');
    await makeUser(service, 'ada', 'red');
    await makeNode(service, 'n1', ['eth0']);
    await reserve(service, 'red', 'n1');
    return { service, page: await pageAt(site), caller: { url: service.url, password: passwordOf('ada') } };
  };

  it('makes calls, tells refusals by their kind, and waits for changes', async () => {
    const { page, caller, service } = await scene();
    const seen = await page.evaluate(async ({ url, password }) => {
      const corral = sdk.createClient({ endpoint: url, credentials: sdk.basic('ada', password) });
      await corral.networkCreate({ network: 'lab', owner: 'red', access: 'red', net_id: '' });
      const { status_id } = await corral.nodeConnectNetwork({ node: 'n1', nic: 'eth0', network: 'lab' });
      const { status } = await corral.waitForAction(status_id);
      const refusal = await corral.projectDetachNode({ project: 'red', node: 'n1' }).catch((error: unknown) => error);
      const { nics } = await corral.showNode({ node: 'n1' });
      return {
        status,
        networks: nics[0]?.networks,
        refusal: refusal instanceof sdk.BlockedError ? refusal.message : String(refusal),
        requestId: refusal instanceof sdk.CorralError ? refusal.requestId : null,
      };
    }, caller);
    expect(seen).toEqual({
      status: 'DONE',
      networks: { 'vlan/native': 'lab' },
      refusal: 'node n1 is on network lab (nic eth0); detach it first',
      requestId: expect.stringContaining('-') as string,
    });
    expect((await service.admin.get('/node/n1')).body).toMatchObject({ project: 'red' });
  });

  it('follows events until it has seen enough', async () => {
    const { page, caller, service } = await scene();
    const following = page.evaluate(async ({ url, password }) => {
      const corral = sdk.createClient({ endpoint: url, credentials: sdk.basic('ada', password) });
      const stop = new AbortController();
      const types: string[] = [];
      const onOpen = (): void => void Object.assign(globalThis, { isOpen: true });
      for await (const event of corral.followEvents({ signal: stop.signal, onOpen })) {
        types.push(`${event.type} ${event.node ?? ''}`);
        if (types.length === 2) stop.abort();
      }
      return types;
    }, caller);
    await page.waitForFunction('globalThis.isOpen === true');
    await done(service.admin.put('/node/n1/metadata/rack', { value: 'r1' }));
    await done(service.admin.del('/node/n1/metadata/rack'));
    expect(await following).toEqual(['node_set_metadata n1', 'node_delete_metadata n1']);
  });

  it('is refused from a page that the service does not know', async () => {
    const { page, caller } = await scene(false);
    const refused = await page.evaluate(async ({ url, password }) => {
      const corral = sdk.createClient({ endpoint: url, credentials: sdk.basic('ada', password), retries: 0 });
      const failure = await corral.listNodes({ is_free: 'free' }).catch((error: unknown) => error);
      return failure instanceof sdk.UnreachableError;
    }, caller);
    expect(refused).toBe(true);
  });
});
