const reasons: Readonly<Record<string, (file: string) => string>> = {
  ENOENT: (file) => `there is no file ${file}`,
  EACCES: (file) => `${file} is not for you to read; its owner can change that`,
  EISDIR: (file) => `${file} is a directory, not a file`,
};

/** Why a file could not be read, as a sentence. */
export const unreadable = (file: string, error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return Object.hasOwn(reasons, code) ? (reasons[code]?.(file) ?? '') : `${file} cannot be read: ${message}`;
};
