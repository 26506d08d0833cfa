const labels: Readonly<Record<string, string>> = {
  addr: 'Address',
  ca: 'CA certificate',
  ca_certificate: 'CA certificate',
  dummy_vlan: 'Dummy VLAN',
  hostname: 'Host name',
  ovs_bridge: 'OVS bridge',
  ovsdb: 'OVSDB address',
  pass: 'Password',
  settle_ms: 'Settling time in milliseconds',
  uri: 'URI',
  url: 'URL',
  user: 'User name',
  username: 'User name',
};

/** What a field of a device is called in a form. */
export const labelOf = (field: string): string => {
  const words = field.replaceAll('_', ' ');
  return labels[field] ?? words.charAt(0).toUpperCase() + words.slice(1);
};

/** The same within a sentence; abbreviations stay as they are. */
export const labelWithin = (field: string): string => {
  const label = labelOf(field);
  return /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
};
