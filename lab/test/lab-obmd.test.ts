import { describe, expect, onTestFinished, test } from 'vitest';
import { type LabObmd, type LabObmdOptions, startLabObmd } from '../src/index.ts';

const adminToken = 'lab admin token';
const admin = { authorization: `Basic ${Buffer.from(`admin:${adminToken}`).toString('base64')}` };

const start = async (options: Partial<LabObmdOptions> = {}): Promise<LabObmd> => {
  const obmd = await startLabObmd({ adminToken, ...options });
  onTestFinished(() => obmd.close());
  return obmd;
};

const send = (method: string, url: string, body?: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

const tokenOf = async (obmd: LabObmd, id: string): Promise<string> => {
  const { token } = (await (await send('POST', `${obmd.uri(id)}/token`, {}, admin)).json()) as { token: string };
  return token;
};

/** Reads a console in the background. */
const watch = async (obmd: LabObmd, id: string, token: string) => {
  const response = await send('GET', `${obmd.uri(id)}/console?token=${token}`);
  const seen = { status: response.status, text: '', isOver: false };
  const read = async () => {
    for await (const chunk of response.body ?? []) seen.text += Buffer.from(chunk).toString();
  };
  void read()
    .catch(() => undefined)
    .finally(() => (seen.isOver = true));
  return seen;
};

describe('the lab OBM daemon', () => {
  test('registers and forgets nodes for the administrator only', async () => {
    const obmd = await start();
    const node = { type: 'mock', info: { addr: 'n1' } };
    expect((await send('PUT', obmd.uri('n1'), node)).status).toBe(401);
    expect((await send('PUT', obmd.uri('n1'), node, admin)).status).toBe(200);
    expect((await send('POST', `${obmd.uri('n1')}/token`, {}, admin)).status).toBe(200);
    expect((await send('DELETE', obmd.uri('n1'), undefined, admin)).status).toBe(200);
    expect((await send('POST', `${obmd.uri('n1')}/token`, {}, admin)).status).toBe(404);
  });

  test('takes orders from the holder of the current token', async () => {
    const obmd = await start();
    const machine = obmd.add('n1');
    const token = await tokenOf(obmd, 'n1');
    const call = (method: string, name: string, body?: object, as = token) =>
      send(method, `${obmd.uri('n1')}/${name}?token=${as}`, body);
    expect(await (await call('GET', 'power_status')).json()).toEqual({ power_status: 'off' });
    await call('POST', 'power_on');
    expect(machine.power).toBe('on');
    await call('POST', 'power_off');
    expect(machine.power).toBe('off');
    await call('PUT', 'boot_device', { bootdev: 'disk' });
    expect(machine.bootDevice).toBe('disk');
    expect((await call('PUT', 'boot_device', { bootdev: 'floppy' })).status).toBe(400);
    await call('POST', 'power_cycle', { force: true });
    expect([machine.power, machine.bootDevice]).toEqual(['on', 'pxe']);
    expect((await call('POST', 'power_on', {}, 'wrong')).status).toBe(401);
    const newer = await tokenOf(obmd, 'n1');
    expect((await call('POST', 'power_on')).status).toBe(401);
    expect((await call('POST', 'power_on', {}, newer)).status).toBe(200);
    expect(obmd.calls.at(-1)).toEqual({ method: 'POST', path: '/node/n1/power_on', body: {}, credentials: 'token' });
  });

  test('shows the boot on the console and disconnects it when a new token is given out', async () => {
    const obmd = await start();
    const machine = obmd.add('n1');
    const seen = await watch(obmd, 'n1', await tokenOf(obmd, 'n1'));
    machine.powerOn();
    await expect.poll(() => seen.text).toContain('booting');
    expect(machine.isWatched).toBe(true);
    await tokenOf(obmd, 'n1');
    await expect.poll(() => seen.isOver).toBe(true);
    expect(machine.isWatched).toBe(false);
  });

  test.each([
    ['replace', 200, true],
    ['refuse', 409, false],
  ] as const)('a second console client: %s', async (secondConsole, status, firstIsOver) => {
    const obmd = await start({ secondConsole });
    obmd.add('n1');
    const token = await tokenOf(obmd, 'n1');
    const first = await watch(obmd, 'n1', token);
    expect((await watch(obmd, 'n1', token)).status).toBe(status);
    if (firstIsOver) await expect.poll(() => first.isOver).toBe(true);
    else expect(first.isOver).toBe(false);
  });

  test('misbehaves on demand', async () => {
    const obmd = await start();
    const machine = obmd.add('n1');
    const token = await tokenOf(obmd, 'n1');
    const status = (): Promise<Response> => send('GET', `${obmd.uri('n1')}/power_status?token=${token}`);
    machine.fault = { kind: 'status', status: 500 };
    expect((await status()).status).toBe(500);
    machine.fault = { kind: 'redirect', to: 'http://elsewhere.example/' };
    expect((await status()).status).toBe(302);
    machine.fault = { kind: 'garbage' };
    await expect((await status()).json()).rejects.toThrow();
    machine.fault = { kind: 'huge' };
    expect((await (await status()).text()).length).toBeGreaterThan(1_000_000);
    machine.fault = { kind: 'drop' };
    await expect(status()).rejects.toThrow();
    machine.fault = { kind: 'noise' };
    await expect(status()).rejects.toThrow();
    machine.fault = { kind: 'hang' };
    await expect(fetch(`${obmd.uri('n1')}/power_status`, { signal: AbortSignal.timeout(50) })).rejects.toThrow();
    machine.fault = { kind: 'status', status: 500, on: ['power_on'] };
    expect((await status()).status).toBe(200);
    machine.fault = { kind: 'drop', after: true };
    await expect(send('POST', `${obmd.uri('n1')}/power_on?token=${token}`)).rejects.toThrow();
    expect(machine.power).toBe('on');
  });

  test('floods a console no faster than the client reads', async () => {
    const obmd = await start();
    const machine = obmd.add('n1');
    machine.fault = { kind: 'flood', on: ['console'] };
    const response = await send('GET', `${obmd.uri('n1')}/console?token=${await tokenOf(obmd, 'n1')}`);
    const stalledAt = await stalled(() => machine.sent);
    const reader = response.body?.getReader();
    await expect.poll(async () => (await reader?.read(), machine.sent)).toBeGreaterThan(stalledAt);
    await reader?.cancel();
    await expect.poll(() => machine.isWatched).toBe(false);
  });
});

/** Waits until a number has stopped growing. */
const stalled = async (read: () => number): Promise<number> => {
  let [last, times] = [-1, 0];
  await expect
    .poll(() => ((times = read() === last ? times + 1 : 0), (last = read()), times), { interval: 20, timeout: 20_000 })
    .toBeGreaterThan(10);
  return last;
};
