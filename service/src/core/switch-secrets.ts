/** Fields of switch_register that are nobody's business. */
const secretField = /pass|secret|token|key|credential/i;

/** Does a field hold a secret, by its name? */
export const isSecretName = (name: string): boolean => secretField.test(name);

/** The secrets among a switch's fields. */
export const secretsIn = (config: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(config).flatMap(([name, value]) => (isSecretName(name) && typeof value === 'string' ? value : []));
