import type { Call } from '../authorization/authorization-case.ts';
import type { CallerName } from '../authorization/authorization-callers.ts';
import type { Rig } from '../authorization/authorization-rig.ts';
import type { Answer } from '../http/http-client.ts';

/** Finds the labels and ids in an answer that neither the call names nor the caller may know. */
export const leaksTo = async (
  rig: Rig,
  call: Call,
): Promise<(caller: CallerName, answer: Answer) => readonly string[]> => {
  const { admin } = rig.service;
  const listed = async (path: string): Promise<readonly string[]> => {
    const { body }: Answer = await admin.get(path);
    return Array.isArray(body) ? body.map(String) : Object.keys(body as object);
  };
  const headnodes = await listed('/project/red/headnodes');
  const uuids = await Promise.all(
    headnodes.slice(-3).map(async (headnode) => {
      const { body }: Answer = await admin.get(`/headnode/${headnode}`);
      return (body as { uuid: string }).uuid;
    }),
  );
  const lists = await Promise.all(
    ['/nodes/all', '/projects', '/networks', '/switches', '/auth/basic/users', '/project/red/headnodes'].map(listed),
  );
  const said = JSON.stringify(call);
  // What any sentence may have in it.
  const words = new Set([...lists.flat(), ...uuids].filter((word) => !said.includes(word) && word !== 'admin'));
  const own: Readonly<Partial<Record<CallerName, readonly string[]>>> = {
    outsider: ['outsider'],
    other: ['other', 'blue'],
  };
  return (caller, { text }) =>
    text.split(/[^\w-]+/).filter((word) => words.has(word) && !(own[caller] ?? []).includes(word));
};
