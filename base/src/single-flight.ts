interface Flight<T> {
  readonly answer: Promise<T>;
  /** Asked for as soon as this one is answered; all who come meanwhile share it. */
  next: Promise<T> | null;
}

/**
 * Several who ask the same at once share one answer. Nobody is given one that was asked for before they came: it may be
 * older than what they did last. So there is one question under way, and one that waits.
 */
export class SingleFlight {
  readonly #flights = new Map<string, Flight<unknown>>();

  /** `question` is the same only for those who are to have the same answer. */
  run<T>(question: string, ask: () => Promise<T>): Promise<T> {
    // The same name always means the same type.
    const asking = this.#flights.get(question) as Flight<T> | undefined;
    if (asking === undefined) return this.#begin(question, ask);
    const begin = (): Promise<T> => this.#begin(question, ask);
    asking.next ??= asking.answer.then(begin, begin);
    return asking.next;
  }

  #begin<T>(question: string, ask: () => Promise<T>): Promise<T> {
    const answer = ask();
    const asking: Flight<T> = { answer, next: null };
    this.#flights.set(question, asking);
    const end = (): void => {
      if (asking.next === null) this.#flights.delete(question);
    };
    answer.then(end, end);
    return answer;
  }
}
