import { describe, expect, it, vi } from 'vitest';
import { callDevice, type DeviceGuard } from '../src/guarded-device.ts';

const guard: DeviceGuard = { ms: 60_000, secrets: ['correct horse'] };
const never = new Promise<never>(() => undefined);

describe('a call to a device', () => {
  it('gives its answer', async () => {
    expect(await callDevice(guard, () => Promise.resolve('on'))).toBe('on');
  });

  it('ends in time even if the driver ignores its signal, for the reason that was asked for', async () => {
    const late = () => new Error('it did not show its ports within 5 ms');
    await expect(callDevice({ ...guard, ms: 5, late }, () => never)).rejects.toThrow('it did not show its ports');
  });

  it('ends when the device is no longer ours', async () => {
    const lost = new AbortController();
    const call = callDevice({ ...guard, signals: [lost.signal] }, () => never);
    lost.abort(new Error('another process has the device'));
    await expect(call).rejects.toThrow('another process has the device');
  });

  it('is not made unless the device is ours', async () => {
    const call = vi.fn(() => Promise.resolve());
    const confirm = () => Promise.reject(new Error('another process has the device'));
    await expect(callDevice({ ...guard, confirm }, call)).rejects.toThrow('another process has the device');
    expect(call).not.toHaveBeenCalled();
  });

  it('tells no secret that the device repeats, also where the driver throws at once', async () => {
    const error = new Error('no such user: correct horse', { cause: new Error('> correct horse') });
    await expect(callDevice(guard, () => Promise.reject(error))).rejects.toThrow('no such user: [secret]');
    expect(error.cause).toEqual(new Error('> [secret]'));
    const throwing = () => {
      throw new Error('correct horse');
    };
    await expect(callDevice(guard, throwing)).rejects.toThrow('[secret]');
  });

  it('waits for its turn within its time, and is not made when its time is over', async () => {
    const call = vi.fn(() => Promise.resolve());
    const inTurn: DeviceGuard['inTurn'] = async (signal, made) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
      return made(signal);
    };
    await expect(callDevice({ ...guard, ms: 5, inTurn }, call)).rejects.toThrow('no answer within 0.005 s');
    expect(call).not.toHaveBeenCalled();
  });
});
