/** Of passwords that people choose here, as the service has it for those that they change. */
export const passwordRule = '8 to 1024 characters';

/** What is wrong with a password; null: nothing, or it is still to be typed. */
export const passwordMistake = (password: string): string | null => {
  // The service counts characters, and not the halves of those that take two.
  const { length } = Array.from(password);
  return length === 0 || (length >= 8 && length <= 1024) ? null : `A password has ${passwordRule}`;
};
