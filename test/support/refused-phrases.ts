/** A phrase that makes a reader stop, and what to write instead. */
interface RefusedPhrase {
  /** A regular expression; a space in it matches a line break in a comment too. */
  readonly phrase: string;
  readonly instead: string;
}

/** The phrases that sources, documents and titles of tests do not use. */
export const refusedPhrases: readonly RefusedPhrase[] = [
  {
    phrase: '(?:is|are|be|was|were|been|being) told',
    instead: 'what happens: "is notified", "gets an error", "is reported"',
  },
  { phrase: 'who(?:m|so)?ever', instead: 'who it is: "the caller", "a client that", "the process that"' },
  { phrase: 'whom', instead: 'a shorter sentence: "the user that", "authenticated by"' },
  { phrase: '(?:is|are|be|was|were|been) looked at', instead: '"is read", "is checked", "cannot list headnodes"' },
  { phrase: '(?:is|are|be|was|were|been) let in', instead: '"logs in", "is accepted", "is refused"' },
  { phrase: 'does not let (?:this )?\\S+ in', instead: '"rejects the login of", "denies access to"' },
  { phrase: 'does not tell', instead: '"does not report", "does not show", "failed to fetch"' },
  { phrase: '(?:cannot|could not) be talked to', instead: '"cannot be reached", "communication failed"' },
  { phrase: 'looks? after', instead: '"manages"' },
  { phrase: 'looks? for (?:him|it|them)sel(?:f|ves)', instead: '"reads the state"' },
  { phrase: 'the last judge', instead: '"the constraints of the database"' },
  { phrase: 'for (?:it|him|her)self', instead: '"separately", "per project"' },
  { phrase: 'not ours', instead: '"foreign", "of another installation"' },
  { phrase: 'has (?:its|his) say', instead: '"is checked", "runs"' },
  { phrase: 'the word of', instead: '"the answer of", "the value from"' },
  { phrase: '(?:is|are) there twice', instead: '"duplicate"' },
  { phrase: 'gave no answer', instead: '"did not answer", "sent an invalid response"' },
  { phrase: 'is in the way', instead: '"blocks"' },
  { phrase: '(?:hangs|hung) up', instead: '"closes the connection"' },
  { phrase: 'without a word', instead: '"without output", "silently"' },
  { phrase: 'in vain', instead: '"without a result", "failed attempts"' },
  { phrase: 'endless spellings', instead: '"many spellings"' },
  { phrase: '(?:exists|has|is) already$', instead: '"already exists"' },
  { phrase: 'exists already', instead: '"already exists"' },
  { phrase: 'is not acceptable', instead: '"is invalid; expected …"' },
  { phrase: 'if it stays so', instead: '"if the problem persists"' },
];
