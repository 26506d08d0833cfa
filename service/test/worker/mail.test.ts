import { labCertificate, labKey } from '@corral/lab';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SubscriptionView } from '../../src/core/subscriptions.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { type MailRelay, startRelay } from '../support/mail/mail-relay.ts';
import { basic, clientOf } from '../support/http/http-client.ts';
import { startReceiver } from '../support/http/webhook-receiver.ts';
import { startDyingProgram } from '../support/services/dying-program.ts';
import { type EngineName, engines } from '../support/services/engines.ts';
import { replicaOf } from '../support/services/obm-rack.ts';
import { adminPassword, type Service, serviceForTest } from '../support/services/service.ts';
import { type DeadLetter, everywhere, showSubscription, untilSubscription } from '../support/services/subscriptions.ts';
import { done, eventually, makeProject, makeUser } from '../support/services/world.ts';

const subscribe = (service: Service, label = 'news', body: object = { address: 'Ops@Example.org' }) =>
  done(service.admin.put(`/subscription/${label}/mail`, body));

const show = (service: Service, label = 'news') => showSubscription(service, label);

const until = (service: Service, fits: (shown: SubscriptionView) => boolean, label = 'news') =>
  untilSubscription(service, label, fits);

/** Instead of waiting for the next attempt, or for the end of a digest. */
const hurry = (service: Service): Promise<unknown[]> => everywhere(service, 'update subscriptions set retry_at = 0');

/** Until the list of events, which shows only settled ones, has one about this project. */
const settled = (service: Service, project: string): Promise<true> =>
  eventually(async () => {
    const { events } = (await done(service.admin.get(`/events?type=project_create&project=${project}`))).body as {
      events: unknown[];
    };
    return events.length > 0 ? true : undefined;
  });

const someTaken = (relay: MailRelay, count = 1): Promise<true> =>
  eventually(() => (relay.taken.length >= count ? true : undefined));

const linesOf = (text = ''): readonly string[] => text.split('\n').filter((line) => / UTC {2}/.test(line));
const said = (text?: string): readonly string[] => linesOf(text).map((line) => line.replace(/^.* UTC {2}/, ''));

const fileWith = async (text: string): Promise<string> => {
  const file = join(await dataDirectory('corral-mail-'), 'file');
  await writeFile(file, text);
  return file;
};

describe.each(engines)('mail on %s', (engine: EngineName) => {
  it('tells of all events of a while at once, in order, a line for each, as plain text', async () => {
    const relay = await startRelay();
    const service = await serviceForTest(engine, { ...relay.env, CORRAL_MAIL_DIGEST: '3600' });
    await subscribe(service);
    for (const project of ['p1', 'p2', 'p3']) await makeProject(service, project);
    await settled(service, 'p3');
    await eventually(async () => {
      const [row] = (await everywhere(service, 'select digest_from from subscriptions')) as { digest_from: unknown }[];
      return row?.digest_from === null ? undefined : true;
    });
    expect(relay.received).toEqual([]);
    await hurry(service);
    expect(await until(service, ({ delivered }) => delivered === 3)).toMatchObject({
      state: 'active',
      attempts: 0,
      last_result: 'answered 250',
    });
    expect(relay.received).toHaveLength(1);
    const [mail] = relay.taken;
    expect(mail).toMatchObject({ from: 'corral@example.org', to: ['ops@example.org'], user: null });
    expect(mail?.headers).toMatchObject({
      from: 'Corral <corral@example.org>',
      to: 'ops@example.org',
      subject: 'Corral: 3 events in the whole site (news)',
      'auto-submitted': 'auto-generated',
      'content-type': 'text/plain; charset=utf-8',
    });
    expect(said(mail?.text)).toEqual(['p1', 'p2', 'p3'].map((project) => `admin: created project ${project}`));
    expect(mail?.text).toContain('An administrator subscribed this address (news)');
    // The next mail is another one.
    await makeProject(service, 'p4');
    await eventually(async () => {
      await hurry(service);
      return relay.taken.length === 2 ? true : undefined;
    });
    expect(said(relay.taken[1]?.text)).toEqual(['admin: created project p4']);
    expect(relay.taken[1]?.headers['message-id']).not.toBe(mail?.headers['message-id']);
  });

  it('counts what would be too long, and lets nothing in an event begin another line', async () => {
    const relay = await startRelay();
    const service = await serviceForTest(engine, relay.env);
    await subscribe(service, 'news', { address: 'ops@example.org', filter: { types: ['node_quarantined'] } });
    const nasty = String.raw`{"reason":"x\r\n.\r\nSubject: y\r\n\r\n2026 UTC  z"}`;
    const rows = Array.from({ length: 120 }, () => `(${Date.now()}, 'node_quarantined', 'corral', 'n1', '${nasty}')`);
    await everywhere(service, `insert into events (at, type, caller, node, detail) values ${rows.join(', ')}`);
    await until(service, ({ delivered }) => delivered === 120);
    const [mail] = relay.taken;
    expect(relay.taken).toHaveLength(1);
    expect(said(mail?.text)).toHaveLength(50);
    expect(linesOf(mail?.text)[0]).toMatch(/ UTC {2}corral: quarantined n1: x \. Subject: y 2026 UTC z$/);
    expect(mail?.text).toContain('\nand 70 more: corral events\n');
    expect(mail?.headers['subject']).toBe('Corral: 120 events in the whole site (news)');
  });

  it('is sent again, the same under the same id, until the relay takes it', async () => {
    const relay = await startRelay();
    const service = await serviceForTest(engine, { ...relay.env, CORRAL_MAIL_TIMEOUT: '1' });
    const faults: readonly (readonly [() => void, RegExp])[] = [
      [() => (relay.atSender = () => 451), /^answered 451 to MAIL FROM$/],
      [() => (relay.atSender = () => 553), /^answered 553 to MAIL FROM$/],
      [() => (relay.atRecipient = () => 450), /^answered 450 to RCPT TO$/],
      [() => (relay.atText = () => 452), /^answered 452 to DATA$/],
      [() => (relay.atText = () => 'drop'), /^could not be reached, or closed the connection/],
      [() => (relay.atText = () => 'hang'), /^did not answer within 1 s$/],
    ];
    const mend = (): void => {
      relay.atSender = () => null;
      relay.atRecipient = () => null;
      relay.atText = () => null;
    };
    await subscribe(service);
    for (const [index, [fault, result]] of faults.entries()) {
      mend();
      fault();
      // What happens meanwhile is for the next mail.
      await makeProject(service, `p${index}`);
      await eventually(async () => {
        await hurry(service);
        return result.test((await show(service)).last_result ?? '') ? true : undefined;
      });
    }
    mend();
    await eventually(async () => {
      await hurry(service);
      return (await show(service)).delivered === faults.length ? true : undefined;
    });
    const [first, ...others] = relay.received;
    const same = others.filter(({ headers }) => headers['message-id'] === first?.headers['message-id']);
    expect(same.length).toBeGreaterThanOrEqual(3);
    for (const mail of same) expect(mail.text).toBe(first?.text);
    expect(said(first?.text)).toEqual(['admin: created project p0']);
    expect(relay.taken.flatMap(({ text }) => said(text))).toEqual(
      faults.map((_, index) => `admin: created project p${index}`),
    );
  });

  it('that the relay refuses for good is a dead letter at once, the next goes on, and it can be sent again', async () => {
    const relay = await startRelay();
    const service = await serviceForTest(engine, relay.env);
    relay.atRecipient = () => 550;
    await subscribe(service, 'news', { address: 'ops@example.org', filter: { types: ['project_create'] } });
    await makeProject(service, 'p1');
    expect(await until(service, ({ given_up }) => given_up === 1)).toMatchObject({
      state: 'active',
      attempts: 0,
      last_result: 'answered 550 to RCPT TO',
    });
    relay.atRecipient = () => null;
    relay.atText = () => 554;
    await makeProject(service, 'p2');
    await until(service, ({ given_up }) => given_up === 2);
    relay.atText = () => null;
    await makeProject(service, 'p3');
    await someTaken(relay);
    expect(said(relay.taken[0]?.text)).toEqual(['admin: created project p3']);
    const letters = (await done(service.admin.get('/subscription/news/dead_letters'))).body as DeadLetter[];
    expect(letters.map(({ event, reason }) => [event.project, reason])).toEqual([
      ['p1', 'answered 550 to RCPT TO'],
      ['p2', 'answered 554 to DATA'],
    ]);
    const resent = await done(
      service.admin.post('/subscription/news/resend', { dead_letter: letters[1]?.dead_letter }),
    );
    expect(resent.body).toEqual({ delivered: true, result: 'answered 250' });
    expect(said(relay.taken[1]?.text)).toEqual(['admin: created project p2']);
    // The same mail as the one that was refused.
    expect(relay.taken[1]?.headers['message-id']).toBe(relay.received[0]?.headers['message-id']);
  });

  it('waits for a relay that is down, and for as long as webhooks it is given up after', async () => {
    const relay = await startRelay();
    const service = await serviceForTest(engine, relay.env);
    await relay.close();
    await subscribe(service, 'news', { address: 'ops@example.org', filter: { types: ['project_create'] } });
    await makeProject(service, 'p1');
    expect((await until(service, ({ attempts }) => attempts > 0)).last_result).toMatch(/ECONNREFUSED/);
    await everywhere(service, `update events set at = at - ${2 * 86_400_000}`);
    await hurry(service);
    await until(service, ({ given_up }) => given_up === 1);
    await makeProject(service, 'p2');
    await until(service, ({ attempts }) => attempts > 0);
    const back = await startRelay({ port: relay.port });
    await eventually(async () => {
      await hurry(service);
      return back.taken.length > 0 ? true : undefined;
    });
    expect(said(back.taken[0]?.text)).toEqual(['admin: created project p2']);
    // A slow relay holds up no webhook.
    back.atText = () => 'hang';
    const receiver = await startReceiver();
    await done(service.admin.put('/subscription/hook', { url: receiver.url }));
    await makeProject(service, 'p3');
    await eventually(() => (receiver.taken.length === 1 && back.received.length > 1 ? true : undefined));
  });

  it('goes only over a connection that is encrypted, to a relay whose certificate is trusted, with a login', async () => {
    const login = { user: 'corral', password: 'a password of the relay' };
    const relay = await startRelay({ tls: { cert: labCertificate, key: labKey }, login });
    const plain = await startRelay({ login });
    const [ca, right, wrong] = [labCertificate, `${login.password}\n`, 'another password'].map(fileWith);
    const env = { CORRAL_MAIL_USER: login.user, CORRAL_MAIL_PASSWORD_FILE: (await right) ?? '' };
    const service = await serviceForTest(engine, { ...relay.env, ...env });
    const test = async (running: Service) => (await done(running.admin.post('/subscription/news/test'))).body;
    await subscribe(service);
    expect(await test(service)).toEqual({
      delivered: false,
      result: expect.stringMatching(/^has a certificate that is not trusted/) as string,
    });
    const trusting = { ...env, CORRAL_MAIL_CA: (await ca) ?? '' };
    const restarted = async (changes: Readonly<Record<string, string>>): Promise<Service> => {
      const running = await service.restart({ ...trusting, ...changes });
      onTestFinished(running.stop);
      return running;
    };
    await service.stop();
    const unencrypted = await restarted({ CORRAL_MAIL_PORT: String(plain.port) });
    expect(await test(unencrypted)).toEqual({
      delivered: false,
      result: 'does not offer the encryption that mail.tls asks for',
    });
    await unencrypted.stop();
    const stranger = await restarted({ CORRAL_MAIL_PASSWORD_FILE: (await wrong) ?? '' });
    expect(await test(stranger)).toEqual({ delivered: false, result: 'refused the login (535)' });
    await stranger.stop();
    const implicit = await startRelay({ tls: { cert: labCertificate, key: labKey }, login, implicit: true });
    const early = await restarted(implicit.env);
    expect(await test(early)).toEqual({ delivered: true, result: 'answered 250' });
    expect(implicit.taken[0]).toMatchObject({ secure: true, user: 'corral' });
    await early.stop();
    expect([plain.logins, plain.received, relay.received]).toEqual([[], [], []]);
    const good = await restarted({});
    expect(await test(good)).toEqual({ delivered: true, result: 'answered 250' });
    expect(relay.taken[0]).toMatchObject({ secure: true, user: 'corral' });
    const logs = [service, unencrypted, stranger, early, good].flatMap(({ log }) => log).join('');
    for (const hidden of [login.password, 'another password', 'words of the relay', 'ops@example.org'])
      expect(logs).not.toContain(hidden);
  });

  it('goes nowhere but to the relay, which is under outbound.allow', async () => {
    const relay = await startRelay();
    const service = await serviceForTest(engine, {
      ...relay.env,
      CORRAL_MAIL_HOST: 'localhost',
      CORRAL_OUTBOUND_ALLOW: '192.0.2.0/24',
    });
    await subscribe(service);
    expect((await done(service.admin.post('/subscription/news/test'))).body).toEqual({
      delivered: false,
      result: 'is at an address where connections may not go',
    });
    expect(relay.received).toEqual([]);
  });

  it('ends for a user who left the project, turned mail off or has no address any more, until it is resumed', async () => {
    const relay = await startRelay();
    const service = await serviceForTest(engine, relay.env);
    for (const project of ['red', 'blue']) await makeProject(service, project);
    const ada = await makeUser(service, 'ada', 'red');
    const mailOf = (body: object) => done(service.admin.patch('/auth/basic/user/ada/mail', body));
    await mailOf({ address: 'ada@example.org' });
    await done(ada.put('/subscription/news/mail', { user: 'ada', project: 'red' }));
    const happens = async (network: string): Promise<void> => {
      await done(service.admin.put(`/network/${network}`, { owner: 'red', access: 'red', net_id: '' }));
    };
    await happens('n1');
    await someTaken(relay);
    expect(relay.taken[0]).toMatchObject({ to: ['ada@example.org'] });
    expect(relay.taken[0]?.text).toContain('To get no mail at all: corral mail off');
    await mailOf({ address: null });
    await happens('n2');
    expect((await until(service, ({ state }) => state === 'paused')).paused_because).toBe(
      'user ada has no mail address',
    );
    await mailOf({ address: 'ada@example.net' });
    await done(ada.patch('/subscription/news', { paused: false }));
    await someTaken(relay, 2);
    expect(relay.taken[1]?.to).toEqual(['ada@example.net']);
    await done(service.admin.post('/auth/basic/user/ada/remove_project', { project: 'red' }));
    await happens('n3');
    expect((await until(service, ({ state }) => state === 'paused')).paused_because).toBe(
      'user ada is not a member of project red',
    );
    await done(service.admin.post('/auth/basic/user/ada/add_project', { project: 'red' }));
    await done(ada.patch('/subscription/news', { paused: false, from_now: true }));
    await done(ada.patch('/auth/basic/user/ada/mail', { enabled: false }));
    expect(await show(service)).toMatchObject({ state: 'paused', paused_because: 'user ada turned mail off' });
    await happens('n4');
    expect((await service.admin.patch('/subscription/news', { paused: false })).status).toBe(409);
    await done(ada.patch('/auth/basic/user/ada/mail', { enabled: true }));
    await done(ada.patch('/subscription/news', { paused: false }));
    await someTaken(relay, 3);
    expect(relay.taken).toHaveLength(3);
    await done(service.admin.del('/auth/basic/user/ada'));
    expect((await service.admin.get('/subscription/news')).status).toBe(404);
  });

  it('that members try out goes to the relay a few times a minute; administrators are not limited', async () => {
    const relay = await startRelay();
    const service = await serviceForTest(engine, { ...relay.env, CORRAL_MAIL_DIGEST: '3600' });
    await makeProject(service, 'red');
    const ada = await makeUser(service, 'ada', 'red');
    await done(service.admin.patch('/auth/basic/user/ada/mail', { address: 'ada@example.org' }));
    await done(ada.put('/subscription/news/mail', { user: 'ada', project: 'red' }));
    const tried = await Promise.all(Array.from({ length: 40 }, () => ada.post('/subscription/news/test')));
    const limited = tried.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(limited[0]?.text).toContain('subscription news was tried too often; wait a moment');
    expect(tried.filter(({ status }) => status === 200)).toHaveLength(40 - limited.length);
    expect(relay.received.length).toBeLessThanOrEqual(40 - limited.length);
    expect((await service.admin.post('/subscription/news/test')).status).toBe(200);
  });

  it('that the relay took when the process died is sent again, the same under the same id', async () => {
    const relay = await startRelay();
    const first = await serviceForTest(engine, relay.env);
    await subscribe(first);
    await first.stop();
    const dying = await startDyingProgram(first.env, 'mail delivered', 1);
    onTestFinished(() => dying.kill());
    const admin = clientOf(dying.url, basic('admin', adminPassword));
    await admin.put('/project/p1').catch(() => undefined);
    expect(await dying.death).toBe('SIGKILL');
    const again = await replicaOf(first);
    await until(again, ({ delivered }) => delivered === 1);
    await makeProject(again, 'p2');
    await someTaken(relay, 3);
    expect(relay.taken.map(({ text }) => said(text))).toEqual([
      ['admin: created project p1'],
      ['admin: created project p1'],
      ['admin: created project p2'],
    ]);
    expect(relay.taken[1]?.headers['message-id']).toBe(relay.taken[0]?.headers['message-id']);
    expect(relay.taken[1]?.text).toBe(relay.taken[0]?.text);
  });

  it('is only retried where no relay is set any more', async () => {
    const relay = await startRelay();
    const service = await serviceForTest(engine, relay.env);
    await subscribe(service);
    await service.stop();
    const without = await service.restart({ CORRAL_MAIL_HOST: '' });
    onTestFinished(without.stop);
    await makeProject(without, 'p1');
    expect((await until(without, ({ attempts }) => attempts > 0)).last_result).toMatch(/mail.host is not set/);
    expect((await without.admin.put('/subscription/more/mail', { address: 'a@example.org' })).status).toBe(409);
  });
});
