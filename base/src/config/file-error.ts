const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/** Why a file could not be read, as the end of a sentence, on one line. */
export const describeFileError = (error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return (Object.hasOwn(reasons, code) ? reasons[code] : message.split('\n')[0]) ?? '';
};
