/** What the service says to programs, in words of the command line. */
const words: readonly (readonly [RegExp, string])[] = [
  [/this call needs credentials(; the WWW-Authenticate header[^;]*)?/g, 'you have to log in for this'],
  [/\bthis call needs\b/g, 'this needs'],
  [/; create one without read_only for this call/g, ''],
  [/\bGET \/drift\b/g, 'corral drift'],
  [/\bPUT \/project\/(\S+)/g, 'corral project create $1'],
  [/repeat the request with force=true/g, 'use --force'],
  [/no authentication backend accepts the credentials in header \S+/g, 'the service does not accept such credentials'],
  [/; send the request again/g, '; try again'],
  [/while the request was in progress/g, 'meanwhile'],
];

/** A sentence of the service for somebody at a command line: nothing in it is of HTTP. */
export const plainWords = (sentence: string): string =>
  words.reduce((text, [said, meant]) => text.replaceAll(said, meant), sentence);
