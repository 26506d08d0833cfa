import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { median } from '../statistics.ts';
import type { SignedIn } from './signed-in.ts';

/** Bytes as they came over the line, and when the first row of the table could be seen. */
export interface FirstLoad {
  readonly pageKb: number;
  readonly dataKb: number;
  readonly ms: number;
  /** A page of as many bytes in one file, with nothing to do but to be shown. */
  readonly staticMs: number;
}

/** Before anything of the page runs: looks at each frame whether the text is there, and notes when that was painted. */
const watchFor = (text: string): string => `
  const look = () => {
    if (!document.body?.textContent.includes(${JSON.stringify(text)})) return requestAnimationFrame(look);
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { void window.noteSeen(performance.now()); };
      port2.postMessage(null);
    });
  };
  requestAnimationFrame(look);`;

interface Load {
  readonly ms: number;
  readonly bytes: ReadonlyMap<string, number>;
}

const loadOnce = async (browser: SignedIn, url: string, text: string): Promise<Load> => {
  const visitor = await browser.visitor();
  try {
    const page = await visitor.newPage();
    const tools = await visitor.newCDPSession(page);
    const paths = new Map<string, string>();
    const bytes = new Map<string, number>();
    tools.on('Network.requestWillBeSent', ({ requestId, request }) => {
      paths.set(requestId, new URL(request.url).pathname);
    });
    tools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const path = paths.get(requestId) ?? '';
      bytes.set(path, (bytes.get(path) ?? 0) + encodedDataLength);
    });
    await tools.send('Network.enable');
    const seen = new Promise<number>((resolve) => void page.exposeFunction('noteSeen', resolve));
    await page.addInitScript(watchFor(text));
    await page.goto(url, { waitUntil: 'commit' });
    return { ms: await seen, bytes };
  } finally {
    await visitor.close();
  }
};

/** Loads the nodes and a page of the same bytes in turn, each time as somebody who was never there. */
export const firstLoads = async (browser: SignedIn, firstNode: string, turns: number): Promise<FirstLoad> => {
  const { bytes } = await loadOnce(browser, '/nodes', firstNode);
  const sizes = [...bytes].map(([path, size]) => ({ isData: path.startsWith('/v0/'), size }));
  const total = (isData: boolean): number =>
    sizes.filter((each) => each.isData === isData).reduce((sum, { size }) => sum + size, 0);
  const [pageBytes, dataBytes] = [total(false), total(true)];
  const text = 'here it is';
  const body = `<!doctype html><title>static</title><template>${'x'.repeat(pageBytes + dataBytes)}</template><p>${text}`;
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    const own: number[] = [];
    const bare: number[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      own.push((await loadOnce(browser, '/nodes', firstNode)).ms);
      bare.push((await loadOnce(browser, url, text)).ms);
    }
    return { pageKb: pageBytes / 1000, dataKb: dataBytes / 1000, ms: median(own), staticMs: median(bare) };
  } finally {
    server.close();
  }
};
