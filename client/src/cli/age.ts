const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** How long ago something was, in the largest unit that fits. A time that is to come, by another clock, was just now. */
export const age = (time: string, now = Date.now()): string => {
  const seconds = Math.round((now - Date.parse(time)) / 1000);
  if (seconds < 1) return 'now';
  const unit = units.find(([, length]) => seconds >= length);
  return unit === undefined ? `${seconds} s ago` : `${Math.floor(seconds / unit[1])} ${unit[0]} ago`;
};
