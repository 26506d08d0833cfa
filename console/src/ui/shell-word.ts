/** A name as one word of a command, quoted if a shell would take it apart. */
export const shellWord = (name: string): string =>
  /^[\w.@%+=:,/-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;

/** A command of these words. */
export const commandOf = (...words: readonly string[]): string => ['corral', ...words.map(shellWord)].join(' ');
