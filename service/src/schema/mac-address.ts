const pairs = /^[0-9a-f]{2}(?:([:-]?)[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}$/;
const quads = /^[0-9a-f]{4}([.:-])[0-9a-f]{4}\1[0-9a-f]{4}$/;

/** A MAC address in lower case with colons, in whichever of the usual ways it is written; null: it is none. */
export const macAddress = (text: string): string | null => {
  const lower = text.trim().toLowerCase();
  if (!pairs.test(lower) && !quads.test(lower)) return null;
  return lower.replaceAll(/[^0-9a-f]/g, '').replaceAll(/..(?!$)/g, '$&:');
};
