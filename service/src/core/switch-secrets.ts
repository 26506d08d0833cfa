/** Fields of switch_register that are nobody's business. */
const secretField = /pass|secret|token|key|credential/i;

/** The secrets among a switch's fields. */
export const secretsIn = (config: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(config).flatMap(([name, value]) => (secretField.test(name) && typeof value === 'string' ? value : []));
