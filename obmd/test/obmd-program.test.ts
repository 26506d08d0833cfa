import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type RequestOptions, request as requestTls } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority, makeCertificate } from '../../lab/src/switches/certificates.ts';
import { adminToken, basic } from './support/daemon.ts';
import { type Program, runToEnd, startProgram } from './support/obmd-program.ts';

const authorization = basic('admin', adminToken);

/** The daemon as an operator starts it. */
describe('the program', () => {
  let directory: string;
  const started: Program[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'corral-obmd-program-'));
  });
  afterEach(async () => {
    for (const program of started.splice(0)) await program.kill('SIGKILL');
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const env = (name: string, more: Record<string, string> = {}) => ({
    CORRAL_OBMD: '127.0.0.1:0',
    CORRAL_DATA_DIR: join(directory, name),
    ...more,
  });
  const start = async (settings: Record<string, string>): Promise<Program> => {
    const program = await startProgram(settings);
    started.push(program);
    return program;
  };
  const nodes = (url: string, authorization: string) => fetch(`${url}/nodes`, { headers: { authorization } });

  it('makes an admin token in a file for its owner only, and uses it again', async () => {
    const settings = env('first');
    const program = await start(settings);
    const file = join(settings.CORRAL_DATA_DIR, 'obmd-admin-token');
    expect(program.output.join('\n')).toContain(file);
    const token = (await readFile(file, 'utf8')).trim();
    expect(token).toMatch(/^\S{32,}$/);
    for (const name of ['obmd-admin-token', 'secret.key', 'obmd.db']) {
      expect((await stat(join(settings.CORRAL_DATA_DIR, name))).mode & 0o777, name).toBe(0o600);
    }
    expect((await nodes(program.url, basic('admin', token))).status).toBe(200);
    expect(await program.kill('SIGTERM')).toBe(0);
    const again = await start(settings);
    expect((await readFile(file, 'utf8')).trim()).toBe(token);
    expect((await nodes(again.url, basic('admin', token))).status).toBe(200);
    expect([...program.output, ...again.output].join('\n')).not.toContain(token);
  });

  it('says every mistake in a line of its own, starts nothing and ends with 2', async () => {
    const settings = env('mistakes', {
      CORRAL_OBMD: 'nowhere',
      CORRAL_OBMD_CALL_TIMEOUT: 'soon',
      CORRAL_OBMD_SOFT_GRACE: '-1',
      CORRAL_OBMD_ADMIN_TOKEN: 'canary with spaces',
      CORRAL_OBMD_TLS_CERT: '/nowhere.pem',
      CORRAL_LOG_LEVEL: 'loud',
    });
    const { code, output } = await runToEnd(settings);
    expect(code).toBe(2);
    const lines = output.split('\n');
    expect(lines).toHaveLength(6);
    for (const word of ['CORRAL_OBMD:', 'CALL_TIMEOUT', 'SOFT_GRACE', 'ADMIN_TOKEN', 'TLS', 'LOG_LEVEL']) {
      expect(
        lines.filter((line) => line.startsWith('corral-obmd: ') && line.includes(word)),
        word,
      ).toHaveLength(1);
    }
    expect(output).not.toContain('canary');
    await expect(stat(settings.CORRAL_DATA_DIR)).rejects.toThrow('ENOENT');
  });

  it('takes its table of the file that the service has, and no mistakes in it', async () => {
    const file = join(directory, 'corral.toml');
    await writeFile(file, `vlans = "7"\n[obmd]\nadmin_token = "${adminToken}"\ncall_timeout = 3\n`);
    const program = await start(env('file', { CORRAL_CONFIG: file }));
    expect((await nodes(program.url, authorization)).status).toBe(200);
    await writeFile(file, '[obmd]\nadmin_tokn = "x"\n');
    const refused = await runToEnd(env('file', { CORRAL_CONFIG: file }));
    expect(refused).toMatchObject({ code: 2, output: expect.stringContaining('obmd.admin_tokn') as string });
  });

  it('says so when the port is taken', async () => {
    const program = await start(env('taken'));
    const { code, output } = await runToEnd(env('taken-too', { CORRAL_OBMD: new URL(program.url).host }));
    expect(code).toBe(2);
    expect(output).toContain('EADDRINUSE');
    expect(output).toContain('CORRAL_OBMD');
  });

  it('stops on SIGTERM within seconds, although consoles are open and nobody reads them', async () => {
    const program = await start(env('stop', { CORRAL_OBMD_ADMIN_TOKEN: adminToken, CORRAL_LOG_LEVEL: 'trace' }));
    const call = (method: string, path: string, body?: unknown) =>
      fetch(`${program.url}${path}`, { method, headers: { authorization }, body: JSON.stringify(body) });
    const consoles = await Promise.all(
      ['n1', 'n2', 'n3'].map(async (id) => {
        const addr = `mock://${id}?stream_bytes_s=100000`;
        expect((await call('PUT', `/node/${id}`, { type: 'mock', info: { addr } })).status).toBe(200);
        const { token } = (await (await call('POST', `/node/${id}/token`)).json()) as { token: string };
        await call('POST', `/node/${id}/power_on?token=${token}`);
        const console = await fetch(`${program.url}/node/${id}/console?token=${token}`);
        return { console, token };
      }),
    );
    const begun = performance.now();
    expect(await program.kill('SIGTERM')).toBe(0);
    expect(performance.now() - begun).toBeLessThan(12_000);
    for (const { console, token } of consoles) {
      await console.body?.cancel().catch(() => undefined);
      expect(program.output.join('\n')).not.toContain(token);
    }
    expect(program.output.join('\n')).not.toContain(adminToken);
  });

  describe('with a certificate', () => {
    const ask = (url: string, options: RequestOptions): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const sent = requestTls(
          `${url}/nodes`,
          { agent: false, headers: { authorization }, ...options },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        );
        sent.on('error', reject).end();
      });
    const subjectAt = (url: string): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(url);
        const socket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
          resolve(socket.getPeerCertificate().subject.CN);
          socket.destroy();
        });
        socket.on('error', reject);
      });

    it('serves HTTPS, and takes up a renewed one without a restart', async () => {
      await makeAuthority(directory);
      const first = await makeCertificate(directory, 'first', 'first.example.org');
      await makeCertificate(directory, 'second', 'second.example.org');
      const files = { cert: join(directory, 'live.pem'), key: join(directory, 'live.key') };
      const put = async (name: string): Promise<void> => {
        await copyFile(join(directory, `${name}.key`), files.key);
        await copyFile(join(directory, `${name}.pem`), files.cert);
      };
      await put('first');
      const program = await start(
        env('tls', {
          CORRAL_OBMD_ADMIN_TOKEN: adminToken,
          CORRAL_OBMD_TLS_CERT: files.cert,
          CORRAL_OBMD_TLS_KEY: files.key,
        }),
      );
      expect(program.url).toMatch(/^https:/);
      expect(await ask(program.url, { ca: first.ca, checkServerIdentity: () => undefined })).toBe(200);
      await put('second');
      await expect.poll(() => subjectAt(program.url), { timeout: 15_000, interval: 200 }).toBe('second.example.org');
      expect(await program.kill('SIGTERM')).toBe(0);
    });

    it('that is none does not start', async () => {
      const file = join(directory, 'none.pem');
      await writeFile(file, 'nonsense');
      const settings = env('no-tls', { CORRAL_OBMD_TLS_CERT: file, CORRAL_OBMD_TLS_KEY: file });
      expect(await runToEnd(settings)).toMatchObject({
        code: 2,
        output: expect.stringContaining('none.pem') as string,
      });
    });
  });
});
