import type { Cleaning } from '../api/client.ts';
import type { Tone } from './badge.tsx';

/** What has become of a node between two projects, in a word or two. */
export const cleaningWords: Readonly<Record<Cleaning['state'], string>> = {
  running: 'being cleaned',
  maintenance: 'with the maintenance service',
  passed: 'passed',
  failed: 'quarantined',
};

export const cleaningTones: Readonly<Record<Cleaning['state'], Tone>> = {
  running: 'accent',
  maintenance: 'accent',
  passed: 'ok',
  failed: 'warn',
};
