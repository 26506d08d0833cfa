/** What `ipmitool mc info` says of a BMC, on one line. */
export const identityIn = (said: string): string => {
  const facts = new Map(
    said.split('\n').flatMap((line): [string, string][] => {
      const at = line.indexOf(':');
      return at < 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]];
    }),
  );
  const known = (name: string): string | null => {
    const fact = facts.get(name) ?? '';
    return fact === '' || fact.startsWith('Unknown') ? null : fact;
  };
  const firmware = known('Firmware Revision');
  const parts = [
    `IPMI ${known('IPMI Version') ?? 'of unknown version'}`,
    known('Manufacturer Name') ?? `manufacturer ${known('Manufacturer ID') ?? 'unknown'}`,
    known('Product Name') ?? `product ${known('Product ID') ?? 'unknown'}`,
    ...(firmware === null ? [] : [`firmware ${firmware}`]),
  ];
  return parts.join(', ');
};
