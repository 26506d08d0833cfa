import type { NextBoot } from '../bmc-contract.ts';
import type { RedfishAnswer, RedfishClient } from './redfish-client.ts';
import { waitFor } from './redfish-retry.ts';
import { cannot, refused } from './redfish-errors.ts';
import { bootIn, type BootOverride, type RedfishSystem } from './redfish-system.ts';
import { waitForTask } from './redfish-tasks.ts';

/** The words of the interface, and Redfish's for them; null: what the firmware is set to. */
const targets: Readonly<Record<string, string | null>> = { disk: 'Hdd', pxe: 'Pxe', none: null };

export const bootDevices = Object.keys(targets);

const purpose = 'change the boot device';
const pollMs = 250;
/** How long the BMC may go on showing another boot device than the one that it accepted. */
const settlingMs = 5_000;
/** How often a change is tried that somebody else's comes before. */
const mostTries = 6;
/** It understood the change and does not want it in this form. */
const refusals = [400, 404, 405, 409, 422, 501];

/** From the next boot on, or for that one only. */
type Wish = 'lasting' | 'once';
/** How it is said, the best first; the next is tried when one is refused. */
const ways: Readonly<Record<Wish, readonly string[]>> = {
  // `Once` is all that some BMCs take for some devices, and is used up by the next boot.
  lasting: ['Continuous', 'Once'],
  once: ['Once', 'Continuous'],
};

type Change = Readonly<Partial<Record<`BootSourceOverride${'Enabled' | 'Target' | 'Mode'}`, string>>>;

/** Has a machine boot from a device from the next boot on. */
export const setBootDevice = async (
  client: RedfishClient,
  system: RedfishSystem,
  device: string,
  signal: AbortSignal,
): Promise<void> => {
  await setBoot(client, system, { device, wish: 'lasting' }, signal);
};

/** Has a machine boot from a device once, if the BMC can. */
export const setNextBoot = async (
  client: RedfishClient,
  system: RedfishSystem,
  device: string,
  signal: AbortSignal,
): Promise<NextBoot> => {
  const lasting = lastingIn(system.boot);
  // It is what it boots from anyway.
  if (lasting === device) return { isOnce: true, forgotten: null };
  const enabled = await setBoot(client, system, { device, wish: 'once' }, signal);
  const isOnce = enabled === 'Once';
  return { isOnce, forgotten: isOnce ? lasting : null };
};

const lastingIn = (boot: BootOverride | null): string | null => {
  if (boot?.enabled !== 'Continuous') return null;
  return Object.keys(targets).find((device) => targets[device] === boot.target) ?? null;
};

/** Gives what `BootSourceOverrideEnabled` was set to. */
const setBoot = async (
  client: RedfishClient,
  system: RedfishSystem,
  { device, wish }: { readonly device: string; readonly wish: Wish },
  signal: AbortSignal,
): Promise<string | undefined> => {
  const target = targets[device];
  if (target === undefined) throw cannot(`boot devices of this machine are ${bootDevices.join(', ')}`);
  if (system.boot === null && system.settingsPath === null)
    throw cannot('the BMC does not allow the boot device to be changed');
  if (target !== null && system.boot?.targets?.includes(target) === false)
    throw cannot(`the BMC cannot make this machine boot from ${device}`);
  let first: RedfishAnswer | null = null;
  for (const change of changesFor(target, wish, system))
    for (const path of [system.path, system.settingsPath].filter((one) => one !== null)) {
      const answer = await patch(client, path, change, signal);
      if (answer.status < 300) {
        await waitForTask(client, answer, purpose, signal);
        await confirm(client, path, change, signal);
        return change.BootSourceOverrideEnabled;
      }
      first ??= answer;
      if (!refusals.includes(answer.status)) throw refused(purpose, answer.error);
    }
  throw refused(purpose, first?.error);
};

/** The ways to say it, the best first. */
const changesFor = (target: string | null, wish: Wish, { boot, quirks }: RedfishSystem): readonly Change[] => {
  const changes: readonly Change[] =
    target === null
      ? [{ BootSourceOverrideEnabled: 'Disabled' }]
      : ways[wish]
          .filter((enabled) => boot?.enableds?.includes(enabled) ?? true)
          .map((enabled) => ({ BootSourceOverrideEnabled: enabled, BootSourceOverrideTarget: target }));
  const mode = boot?.mode;
  if (mode === undefined || quirks.bootMode === 'never') return changes;
  return changes.flatMap((change): readonly Change[] => {
    const withMode = { ...change, BootSourceOverrideMode: mode };
    return quirks.bootMode === 'first' ? [withMode] : [change, withMode];
  });
};

/**
 * Changes a resource that nobody has changed since we looked. A BMC whose ETag fails though it is still the same
 * compares it in a way of its own: then the next form of it is tried.
 */
const patch = async (
  client: RedfishClient,
  path: string,
  boot: Change,
  signal: AbortSignal,
): Promise<RedfishAnswer> => {
  let seen: string | undefined;
  let form = 0;
  for (let tries = 1; ; tries += 1) {
    const shown = await client.request({ method: 'GET', path }, signal);
    if (shown.status !== 200) return shown;
    form = tries > 1 && shown.etag === seen ? form + 1 : 0;
    seen = shown.etag;
    const forms = formsOf(seen);
    const ifMatch = forms[form];
    const headers: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch };
    const answer = await client.request({ method: 'PATCH', path, headers, body: { Boot: boot } }, signal);
    const isConditionAtFault = answer.status === 412 || answer.status === 428;
    if (!isConditionAtFault || form + 1 >= forms.length || tries >= mostTries) return answer;
  }
};

/** As it came, without the mark of a weak one, and then none at all; where there is none, whatever there is. */
const formsOf = (etag: string | undefined): readonly (string | undefined)[] => {
  if (etag === undefined) return [undefined, '*'];
  return etag.startsWith('W/') ? [etag, etag.slice(2), undefined] : [etag, undefined];
};

/** Some BMCs accept what they then do not do. What is said once may be used up already. */
const confirm = async (client: RedfishClient, path: string, change: Change, signal: AbortSignal): Promise<void> => {
  if (change.BootSourceOverrideEnabled === 'Once') return;
  for (const end = performance.now() + settlingMs; ;) {
    const answer = await client.request({ method: 'GET', path }, signal);
    const boot = answer.status === 200 ? bootIn(answer.document()) : null;
    if (boot === null || isAsSaid(boot, change)) return;
    if (performance.now() > end)
      throw refused(purpose, new Error(`it accepted the change and shows ${boot.enabled ?? ''} ${boot.target ?? ''}`));
    await waitFor(pollMs, signal);
  }
};

const isAsSaid = (boot: BootOverride, change: Change): boolean => {
  const isOff = boot.enabled === 'Disabled' || boot.target === 'None';
  const wanted = change.BootSourceOverrideTarget;
  return wanted === undefined ? isOff || boot.enabled === undefined : !isOff && (boot.target ?? wanted) === wanted;
};
