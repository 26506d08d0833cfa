/** Everybody who may try a call; `member` is in project red, which the call concerns, `other` in project blue. */
export const callerNames = ['anonymous', 'wrong password', 'outsider', 'member', 'other', 'admin'] as const;
export type CallerName = (typeof callerNames)[number];
