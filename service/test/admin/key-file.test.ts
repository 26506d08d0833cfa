import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { ConfigError } from '@corral/base/config/config-error';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { runToEnd } from '../support/services/service-program.ts';
import { keyFileOf, ringOf, sealedValues } from '../support/services/key-rotation.ts';
import { replicaOf } from '../support/services/obm-rack.ts';
import { serviceForTest } from '../support/services/service.ts';
import { done, eventually, makeSwitch } from '../support/services/world.ts';

const aKey = (): string => `${randomBytes(32).toString('base64')}\n`;
const aSwitch = { type: 'mock', hostname: 'h', username: 'u', password: 'canary-password' };

describe.each(engines)('a key file on %s', (engine) => {
  it('that is not right is reported in one line with the key that is wanted, and nothing is started', async () => {
    const service = await serviceForTest(engine);
    await makeSwitch(service, 'sw0');
    await service.stop();
    const file = keyFileOf(service);
    const right = readFileSync(file, 'utf8');
    const { id } = ringOf(service).keys[0];
    const wanted = `this database's secrets are sealed with key ${id}: put your copy of it back`;
    const refused = async (sentence: string): Promise<void> => {
      const error = await service.restart().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ConfigError);
      expect((error as ConfigError).mistakes).toEqual([`key_file: ${file} ${sentence}; ${wanted}`]);
    };
    for (const [text, sentence] of [
      [aKey(), "is not the key that this database's secrets were sealed with"],
      [aKey() + aKey(), "is not the key that this database's secrets were sealed with"],
      ['', 'does not contain 32 bytes in base64: it is empty'],
      [`${right}half a ke`, 'does not contain 32 bytes in base64 in line 2'],
      [randomBytes(31).toString('base64'), 'does not contain 32 bytes in base64 in line 1'],
    ] as const) {
      writeFileSync(file, text, { mode: 0o600 });
      await refused(sentence);
    }
    rmSync(file);
    await refused('is missing');
    expect(await runToEnd(service.env)).toEqual({
      code: 2,
      output: `corral: key_file: ${file} is missing; ${wanted}`,
    });
    expect(existsSync(file)).toBe(false);
    await mkdir(file);
    await refused('cannot be read (EISDIR: illegal operation on a directory, read)');
    await rm(file, { recursive: true });
    // The right one may stand anywhere in the file.
    writeFileSync(file, aKey() + right, { mode: 0o600 });
    const again = await replicaOf(service);
    await makeSwitch(again, 'sw1');
    expect(new Set((await sealedValues(service)).map(({ value }) => value.split(':')[1])).size).toBe(2);
  });

  it('that everybody on the machine can read is refused, with the way out', async () => {
    const service = await serviceForTest(engine);
    await service.stop();
    const file = keyFileOf(service);
    for (const mode of [0o644, 0o604, 0o666, 0o602]) {
      chmodSync(file, mode);
      await expect(service.restart()).rejects.toThrow(
        `key_file: ${file} is accessible to all users of this machine (mode 0${mode.toString(8)}); run \`chmod 600 ${file}\``,
      );
    }
    // A group may be given it.
    chmodSync(file, 0o440);
    await service.restart();
  });

  it('that goes away while the service runs stops the sealing of more, and is not replaced', async () => {
    const service = await serviceForTest(engine);
    const file = keyFileOf(service);
    await done(service.admin.put('/switch/before', aSwitch));
    const right = readFileSync(file, 'utf8');
    for (const [wrong, told] of [
      [null, `key_file: ${file} is missing; secrets cannot be sealed until it is restored from the backup`],
      [aKey(), `key_file: ${file} was replaced with a file that has another key`],
      ['garbled', `key_file: ${file} does not contain 32 bytes in base64 in line 1; secrets cannot be sealed`],
    ] as const) {
      if (wrong === null) rmSync(file);
      else writeFileSync(file, wrong, { mode: 0o600 });
      const answer = await service.admin.put('/switch/meanwhile', aSwitch);
      expect(answer).toMatchObject({ status: 500, body: { type: 'ServerError' } });
      expect(answer.text).not.toContain(file);
      await eventually(() => (service.log.some((line) => line.includes(told)) ? true : undefined));
      if (wrong === null) expect(existsSync(file)).toBe(false);
      // Whatever needs no sealing goes on.
      await done(service.admin.put(`/project/still-${told.length}`));
      expect((await done(service.admin.get('/switches'))).body).toEqual(['before']);
    }
    writeFileSync(file, right, { mode: 0o600 });
    await done(service.admin.put('/switch/meanwhile', aSwitch));
    expect(service.log.join('')).not.toContain('canary-password');
  });

  it('is followed by a second process on the same machine', async () => {
    const service = await serviceForTest(engine);
    const replica = await replicaOf(service);
    const file = keyFileOf(service);
    writeFileSync(file, aKey() + readFileSync(file, 'utf8'), { mode: 0o600 });
    await makeSwitch(service, 'here');
    await makeSwitch(replica, 'there');
    const { id } = ringOf(service).keys[0];
    const values = (await sealedValues(service)).filter(({ table }) => table === 'switches');
    expect(values.map(({ value }) => value.split(':')[1])).toEqual([id, id]);
    onTestFinished(() => expect(service.log.join('')).not.toContain(readFileSync(file, 'utf8').slice(0, 44)));
  });
});
