/** The beginning of a text that is longer than that, with a mark that there was more. */
export const shorten = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;

/** How much of a name that a client made up is repeated to it. */
export const shortName = (name: string): string => shorten(name, 80);

/** The message for a client, however much it sent. */
export const shortMessage = (message: string): string => shorten(message, 8192);
