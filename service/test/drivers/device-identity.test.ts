import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTrial } from '../support/switches/switch-devices.ts';
import { engines } from '../support/services/engines.ts';
import { relayTo } from '../support/services/tcp-relay.ts';
import { type Service, startService } from '../support/services/service.ts';
import { refusal } from '../support/services/shared-service.ts';
import { eventsOf, sweep } from '../support/switches/drift-helpers.ts';
import { done, eventually, leftAlone } from '../support/services/world.ts';

/** For each type: what a device says it is, how that is called here, and what another of the same model says. */
const devices: readonly [string, string, string, string][] = [
  ['arista-eos', 'JPE14080457', 'arista JPE14080457', 'JPE14080458'],
  ['arista-eapi', 'JPE15080457', 'arista JPE15080457', 'JPE15080458'],
  ['cisco-ios', 'FOC1628V0Q3', 'cisco FOC1628V0Q3', 'FOC1628V0Q4'],
  ['cisco-nxos', 'SSI153904E8', 'cisco SSI153904E8', 'SSI153904E9'],
  ['dell-os10', '1AB2CD3', 'dell 1AB2CD3', '1AB2CD4'],
  ['dellnos9', '4AB2CD3', 'dell 4AB2CD3 gigabitethernet', '4AB2CD4'],
  ['delln3000', 'CN0V143P2829856D0183A00', 'dell CN0V143P2829856D0183A00', 'CN0V143P2829856D0184A00'],
  ['powerconnect55xx', 'd0:67:e5:00:00:01', 'dell D067E5000001', 'd0:67:e5:00:00:02'],
  ['junos', 'PE3715100001', 'juniper PE3715100001', 'PE3715100002'],
];

const engine = engines.at(-1) ?? 'sqlite';
const patient = { CORRAL_ENGINE_DEVICE_TIMEOUT: '10', CORRAL_ENGINE_SESSION_IDLE: '0.1' };

describe('which device is behind a record', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService(engine, patient);
  });
  afterAll(async () => {
    await service.stop();
    await rm(service.dataDir, { recursive: true, force: true });
  });
  const shown = async (label: string) =>
    (await done(service.admin.get(`/switch/${label}`))).body as { identity?: string; duplicate_of?: string };

  it.each(devices)(
    'is reported by the device itself, and a second record or another device detected: %s',
    { timeout: 60_000 },
    async (type, serial, identity, other) => {
      const { device, stop } = await startTrial(type);
      onTestFinished(stop);
      device.serial = serial;
      const { fields } = device;
      const [, inHost] = /^127\.0\.0\.1:(\d+)$/.exec(String(fields['hostname'])) ?? [];
      const relay = await relayTo(Number(inHost ?? fields['port']));
      onTestFinished(() => relay.cut());
      const place = inHost === undefined ? { port: relay.port } : { hostname: `127.0.0.1:${relay.port}` };

      await done(service.admin.put(`/switch/${type}`, { type, ...fields }));
      await sweep(service, type);
      expect(await shown(type)).toMatchObject({ identity });

      // The same device by another way.
      await done(service.admin.put(`/switch/${type}-again`, { type, ...fields, ...place }));
      expect(await refusal(service.admin.post(`/switch/${type}-again/sweep`))).toBe('502 SwitchError');
      expect(await shown(`${type}-again`)).toMatchObject({ identity, duplicate_of: type });
      await done(service.admin.del(`/switch/${type}-again`));

      // Another device at the same place.
      await leftAlone(service, type);
      device.serial = other;
      await sweep(service, type);
      await eventually(async () => ((await eventsOf(service, 'switch_replaced', type)).length > 0 ? true : undefined));
      expect((await shown(type)).identity).not.toBe(identity);
    },
  );
});
