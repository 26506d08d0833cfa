/** Puts a value last in line for being forgotten. When there are more than `most`, the oldest tenth goes. */
export const keepNewest = <Key, T>(map: Map<Key, T>, key: Key, value: T, most: number): void => {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  // Many together: what is deleted from the front of a Map is stepped over again at each look at the front.
  let left = Math.ceil(most / 10);
  for (const oldest of map.keys()) {
    if (left === 0) return;
    map.delete(oldest);
    left -= 1;
  }
};
