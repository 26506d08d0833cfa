import type { HeadnodeOverview } from '../api/client.ts';

/** What a headnode does, in a word. */
export const headnodeStateOf = ({ state, in_progress }: HeadnodeOverview): string => {
  if (state === 'started') return in_progress ? 'starting' : 'running';
  if (state === 'stopped') return in_progress ? 'stopping' : 'stopped';
  return state === 'deleting' ? 'being deleted' : 'not started yet';
};

export const isRunning = ({ state, in_progress }: HeadnodeOverview): boolean => state === 'started' && !in_progress;

/** Why it cannot be started, as the service says it. */
export const startRefusal = ({ name, state, in_progress }: HeadnodeOverview): string | null => {
  if (state === 'started') return in_progress ? `headnode ${name} is being started` : `headnode ${name} runs`;
  if (state === 'stopped') return `headnode ${name} was stopped and cannot be started again; it can only be deleted`;
  return state === 'deleting' ? `headnode ${name} is being deleted` : null;
};

/** Why it cannot be stopped. */
export const stopRefusal = ({ name, state, in_progress }: HeadnodeOverview): string | null => {
  if (state === 'created') return `headnode ${name} has never been started`;
  if (state === 'deleting') return `headnode ${name} is being deleted`;
  if (state === 'started') return in_progress ? `headnode ${name} is being started; try again in a moment` : null;
  return in_progress ? null : `headnode ${name} is off`;
};

/** Why its hnics and networks cannot be changed. */
export const changeRefusal = ({ name, state }: HeadnodeOverview): string | null =>
  state === 'created' ? null : `headnode ${name} has already been started; it can only be deleted`;
