import { useCallback, useState } from 'react';

/** Names that a person chose, kept in this browser; null: nothing was chosen yet. */
export const useKeptNames = (
  key: string,
): readonly [readonly string[] | null, (names: readonly string[] | null) => void] => {
  const [names, setNames] = useState(() => storedNames(key));
  const keep = useCallback(
    (next: readonly string[] | null) => {
      setNames(next);
      if (next === null) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify(next));
    },
    [key],
  );
  return [names, keep];
};

const storedNames = (key: string): readonly string[] | null => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : null;
  } catch {
    return null;
  }
};
