const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a directory, not a file',
};

/** Why a file could not be read, as the end of a sentence, on one line. */
export const whyUnreadable = (error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return (Object.hasOwn(reasons, code) ? reasons[code] : message.split('\n')[0]) ?? '';
};
