const longest = 2048;

/** A path of this service to go to after a login, tidied; null: it leads elsewhere, or to the login itself. */
export const localPath = (text: string): string | null => {
  // Browsers take a backslash for a slash, and drop tabs and line ends.
  if (text.length > longest || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(text)) return null;
  const here = 'http://here.invalid';
  if (!URL.canParse(text, here)) return null;
  const url = new URL(text, here);
  const path = `${url.pathname}${url.search}${url.hash}`;
  // Without its dots a path can begin with two slashes, which is another host.
  if (url.origin !== here || path.startsWith('//') || /^\/auth(\/|$)/.test(url.pathname)) return null;
  return path;
};
