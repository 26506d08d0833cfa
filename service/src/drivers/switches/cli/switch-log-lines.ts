/*
 * What a switch writes onto the terminal by itself: between the answers, and in the middle of them.
 */

const logs: readonly RegExp[] = [
  // `%LINK-5-CHANGED: …`, alone or behind a time and a name: Cisco, Arista, and Dell's PowerConnect with `%LINK-W-Down:`.
  /^(?:[^%]{0,80}[ :>])?%[A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+){0,3}-(?:\d|[A-Z])-[A-Z0-9_a-z]+:/,
  // A record as it goes to a log server: OS10 and the N series of Dell.
  /^<\d{1,3}>/,
  // OS10: `%Node.1-Unit.1:PRI [event], Dell EMC (OS10) %IFM_ASTATE_UP: …`, or its last part alone.
  /^% ?Node\.\d/,
  /^%[A-Z][A-Z0-9]*_[A-Z0-9_]+ ?:/,
];

/** Is this a message of the switch's log? */
export const isLogLine = (line: string): boolean => logs.some((pattern) => pattern.test(line));
