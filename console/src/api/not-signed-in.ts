/** Nobody is signed in in this browser. */
export class NotSignedIn extends Error {
  constructor() {
    super('nobody is signed in');
  }
}
