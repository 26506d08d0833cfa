import type { Refusal } from '../switch-contract.ts';

const grammar = /^(?:(?:ge|mge|xe|et)-\d{1,3}\/\d{1,2}\/\d{1,3}(?::\d)?|ae\d{1,4})$/;

/** Is this the name of a port that can carry VLANs, as Junos writes it? */
export const isPort = (name: string): boolean => grammar.test(name) && !/(?:^ae|[-/])0\d/.test(name);

/** The kind of a port (ge, mge, xe, et) is that of its transceiver: a socket has a name of each kind. */
export const wire = (port: string): string => port.replace(/^[a-z]+-/, '').replace(':', '/');

/** `ge-0/0/1`, also when it is written in capitals or with its logical unit (`ge-0/0/1.0`). */
export const portName = (name: string): string | Refusal => {
  const normal = name.toLowerCase().replace(/\.0$/, '');
  return isPort(normal)
    ? normal
    : { refused: 'a port of a Junos switch is named like ge-0/0/1, mge-0/0/1, xe-0/1/0, et-0/0/48:0 or ae0' };
};
