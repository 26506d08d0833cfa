import { expect } from 'vitest';
import type { Answer, Client } from '../http/http-client.ts';
import type { Service } from './service.ts';
import { done, eventually, settled } from './world.ts';

/** A release as `show_release` shows it. */
export interface Release {
  readonly release: string;
  readonly node: string;
  readonly project: string;
  readonly caller: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly step: 'networks' | 'obm' | 'project';
  readonly detaches: readonly { readonly nic: string; readonly network: string; readonly status_id: string }[];
  readonly problem: string | null;
  readonly attempts: number;
  readonly for_repair: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
}

/** Asks for the release of nodes; gives the ids in their order. */
export const release = async (client: Client, project: string, ...nodes: readonly string[]): Promise<string[]> => {
  const answer = await client.post(`/project/${project}/release`, { nodes });
  expect(answer.status, answer.text).toBe(202);
  const { releases } = answer.body as { releases: { node: string; release: string }[] };
  expect(releases.map(({ node }) => node)).toEqual(nodes);
  return releases.map(({ release: id }) => id);
};

export const showRelease = async (client: Client, id: string | undefined): Promise<Release> =>
  (await done(client.get(`/release/${id ?? ''}`))).body as Release;

/** Waits until a release is over. */
export const releaseEnded = (client: Client, id: string | undefined): Promise<Release> =>
  eventually(async () => {
    const found = await showRelease(client, id);
    return found.state === 'running' ? undefined : found;
  }, 60_000);

/** The same, and it went well. */
export const released = async (client: Client, project: string, ...nodes: readonly string[]): Promise<Release[]> => {
  const ended: Release[] = [];
  for (const id of await release(client, project, ...nodes)) ended.push(await releaseEnded(client, id));
  expect(ended.map(({ state, problem }) => [state, problem])).toEqual(nodes.map(() => ['done', null]));
  return ended;
};

/** Waits until what an accepted call began is over: a change of a port, or releases. A claim goes on waiting. */
export const acceptedDone = async (service: Service, accepted: Answer): Promise<void> => {
  const { status_id, releases = [] } = accepted.body as { status_id?: string; releases?: { release: string }[] };
  if (status_id !== undefined) await settled(service, accepted);
  for (const { release: id } of releases) await releaseEnded(service.admin, id);
};
