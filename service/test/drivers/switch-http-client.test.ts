import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { documentIn, errorMessageIn } from '../../src/drivers/switches/http/xml-documents.ts';
import { type HttpDefaults, httpTargetFrom } from '../../src/drivers/switches/http/http-fields.ts';
import { SwitchHttpClient } from '../../src/drivers/switches/http/switch-http-client.ts';

const defaults: HttpDefaults = { scheme: 'http', ports: { http: 8008, https: 8888 } };
const originOf = (fields: object): string =>
  httpTargetFrom({ username: 'u', password: 'p', ...fields }, defaults).origin;

describe('the address of a switch', () => {
  it.each([
    [{ hostname: 'sw1' }, 'http://sw1:8008'],
    [{ hostname: 'sw1:80' }, 'http://sw1:80'],
    [{ hostname: 'http://sw1:80/' }, 'http://sw1:80'],
    [{ hostname: 'https://sw1' }, 'https://sw1:8888'],
    [{ hostname: 'sw1', port: 9000 }, 'http://sw1:9000'],
    [{ hostname: '[2001:db8::7]' }, 'http://[2001:db8::7]:8008'],
    [{ hostname: 'sw1', fingerprint: 'AB'.repeat(32) }, 'https://sw1:8888'],
  ])('%j is %s', (fields, origin) => {
    expect(originOf(fields)).toBe(origin);
  });

  it('cannot have a certificate without TLS', () => {
    expect(() => originOf({ hostname: 'http://sw1', fingerprint: 'ab'.repeat(32) })).toThrow('https://');
  });
});

describe('a line over HTTP', () => {
  const running: Server[] = [];
  const lines: SwitchHttpClient[] = [];
  const lineTo = async (answer: Parameters<typeof createServer>[1]): Promise<SwitchHttpClient> => {
    const server = createServer(answer);
    running.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const line = new SwitchHttpClient(
      httpTargetFrom({ hostname: '127.0.0.1', port: address.port, username: 'u', password: 'p' }, defaults),
    );
    lines.push(line);
    return line;
  };
  const ask = (line: SwitchHttpClient, signal = AbortSignal.timeout(5000)) =>
    line.ask({ method: 'GET', path: '/' }, signal);

  afterEach(async () => {
    await Promise.all(lines.splice(0).map((line) => line.close()));
    for (const server of running.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  it('does not follow a redirect, wherever it leads', async () => {
    let asked = 0;
    const line = await lineTo((_, response) => {
      asked++;
      response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end();
    });
    await expect(ask(line)).rejects.toThrow('302');
    expect(asked).toBe(1);
  });

  it('cuts off an answer without end', async () => {
    const line = await lineTo((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more).on('error', () => undefined);
      more();
    });
    await expect(ask(line)).rejects.toThrow('was lost');
  });

  it('ends when the signal says so, also in the middle of an answer', async () => {
    const line = await lineTo((_, response) => response.write('half of'));
    await expect(ask(line, AbortSignal.timeout(100))).rejects.toThrow('in time');
    await expect(ask(line, AbortSignal.abort())).rejects.toThrow('in time');
  });

  it('can be closed twice, and nothing is sent after that', async () => {
    const line = await lineTo((_, response) => response.end('ok'));
    expect(await ask(line)).toEqual({ status: 200, text: 'ok' });
    await line.close();
    await line.close();
    await expect(ask(line)).rejects.toThrow('was lost');
  });
});

describe('an answer in XML', () => {
  it('may have several elements side by side', () => {
    const { children } = documentIn('<?xml version="1.0"?><a>1</a>\r\n<a/><b><c>3</c></b>');
    expect(children.map(({ name }) => name)).toEqual(['a', 'a', 'b']);
  });

  it('is distinguished from something else', () => {
    expect(() => documentIn('{"a": 1}')).toThrow('the switch answers something that is not XML: "{"a": 1}"');
  });

  it('tells what is wrong in an error document', () => {
    expect(errorMessageIn('<errors><error><error-message>no &amp; never</error-message></error></errors>')).toBe(
      'no & never',
    );
    expect(errorMessageIn('<html>busy</html>')).toBeUndefined();
    expect(errorMessageIn('busy')).toBeUndefined();
  });
});
