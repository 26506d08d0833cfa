/** A queued change, as far as words are made of it. */
interface Change {
  readonly type: 'modify_port' | 'revert_port';
  readonly network: string | null;
  readonly channel: string;
  readonly attempts: number;
}

/** What a queued change does, and how often it failed. */
export const changeOf = ({ type, network, channel, attempts }: Change): string => {
  const failed = attempts === 0 ? '' : `, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} failed`;
  return `${effectOf(type, network)}${channel === '' ? '' : ` (${channel})`}${failed}`;
};

const effectOf = (type: Change['type'], network: string | null): string => {
  if (type === 'revert_port') return 'detach all networks';
  return network === null ? 'detach' : `connect ${network}`;
};
