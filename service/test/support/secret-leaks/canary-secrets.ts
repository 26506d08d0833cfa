import { randomBytes } from 'node:crypto';

/** Where a secret was found that must not be there. */
export interface Sighting {
  readonly canary: string;
  readonly place: string;
  readonly around: string;
}

/** Secrets that are told apart wherever they turn up, however they are written there. */
export class Canaries {
  readonly #known = new Map<string, readonly string[]>();

  /** A new one. Its slash is written in another way in a URL; its digits are the same in JSON, XML and URLs. */
  make(name: string): string {
    const digits = randomBytes(9).toString('hex');
    this.note(name, digits);
    return `cn/${digits}`;
  }

  /** A secret that somebody else made. */
  note(name: string, secret: string): void {
    if (secret.length < 12) throw new Error(`${name} is too short to be told from anything else`);
    this.#known.set(name, formsOf(secret));
  }

  get names(): readonly string[] {
    return [...this.#known.keys()];
  }

  /** All that can be seen in a text; `allowed` are those that may be there. */
  seenIn(place: string, text: string, allowed: readonly string[] = []): Sighting[] {
    // Both alphabets of base64 are one.
    const read = text.replaceAll('-', '+').replaceAll('_', '/').toLowerCase();
    return [...this.#known].flatMap(([canary, forms]) => {
      if (allowed.includes(canary)) return [];
      const at = forms.map((form) => read.indexOf(form)).find((index) => index >= 0);
      return at === undefined ? [] : [{ canary, place, around: text.slice(Math.max(0, at - 120), at + 60) }];
    });
  }
}

/** As it is, in hexadecimal digits, and in base64 at each of its three offsets; in small letters, as the text. */
const formsOf = (secret: string): string[] => {
  const bytes = Buffer.from(secret);
  const inBase64 = [0, 1, 2].map((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    return padded.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((padded.length * 8) / 6));
  });
  const plain = secret.replaceAll('-', '+').replaceAll('_', '/');
  return [plain, bytes.toString('hex'), ...inBase64].map((form) => form.toLowerCase());
};
