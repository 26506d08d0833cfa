import { badArgument } from './corral-error.ts';
import type { RequestDependencies } from './dependencies.ts';
import { withoutPlace } from './inside-address.ts';

/**
 * The address of a node under its OBM daemon's API, as it was given, if it can be one. Of a name it is seen at every
 * call where it is then. One that leads to the daemon inside the service is kept without the place where that is now.
 */
export const obmUri = async (
  text: string,
  { outbound, ownDaemon }: Pick<RequestDependencies, 'outbound' | 'ownDaemon'>,
): Promise<string> => {
  const accepted = 'expected an http or https address such as http://obmd.example:8080/node/n1';
  // URL would quietly strip or encode them, and PostgreSQL has no NUL in text.
  if (/[\p{Cc}\p{Cs}\s]/u.test(text)) {
    throw badArgument(`field "obmd.uri" contains a space or a control character; ${accepted}`);
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw badArgument(`field "obmd.uri" is not a URL; ${accepted}`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw badArgument(`field "obmd.uri" has scheme ${url.protocol.slice(0, -1)}; ${accepted}`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw badArgument(`field "obmd.uri" contains a user, a password, a query or a fragment; ${accepted}`);
  }
  const uri = withoutPlace(text, await ownDaemon.placesHere());
  if (uri !== text) return uri;
  const refusal = outbound.refusalOf(url.hostname);
  if (refusal !== null) throw badArgument(`field "obmd.uri": ${refusal.message}`);
  return text;
};
