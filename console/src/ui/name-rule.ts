import { brokenNameRule, type NamedThing } from '@corral/client';

/** What is wrong with the name of something new; null: nothing, or it is still to be typed. */
export const nameMistake = (thing: NamedThing, name: string): string | null => {
  const rule = name === '' ? null : brokenNameRule(thing, name);
  return rule === null ? null : `This name cannot be used: expected ${rule}`;
};

/** Why a form whose thing has this name cannot be sent; null: because of its name it can. */
export const nameLack = (thing: NamedThing, name: string): string | null =>
  name === '' ? 'Give it a name first' : nameMistake(thing, name);
