const reasons: Readonly<Record<string, (file: string) => string>> = {
  ENOENT: (file) => `${file} does not exist`,
  EACCES: (file) => `${file} cannot be read: permission denied; its owner can change that`,
  EISDIR: (file) => `${file} is a directory, not a file`,
};

/** Why a file could not be read, as a sentence. */
export const unreadable = (file: string, error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return Object.hasOwn(reasons, code) ? (reasons[code]?.(file) ?? '') : `${file} cannot be read: ${message}`;
};
