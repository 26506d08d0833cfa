import type { PortConfig } from '../contract.ts';
import type { Dialect, PortChange } from './dialect.ts';
import { passwordOrKeyLogin } from './login.ts';

/** vde_switch's number for "no untagged VLAN": what comes without a tag is dropped. */
const none = 4095;

/** What goes is taken away before what comes is added, so that at no moment it carries more than it did or shall. */
const lines = ({ wanted, was }: PortChange): readonly string[] => {
  const { port, native } = wanted;
  const goes = was.tagged.filter((vlan) => !wanted.tagged.includes(vlan));
  const comes = wanted.tagged.filter((vlan) => !was.tagged.includes(vlan));
  return [
    ...goes.map((vlan) => `vlan/delport ${vlan} ${port}`),
    // A port that shall carry nothing is told so even if it seems to: what is shown may be less than what is.
    ...(native === was.native && native !== null ? [] : [`port/setvlan ${port} ${native ?? none}`]),
    ...comes.map((vlan) => `vlan/addport ${vlan} ${port}`),
  ];
};

/** `port/allprint` tells the ports and their untagged VLAN, `vlan/allprint` after it who is tagged in which. */
const portsIn = (answers: readonly string[]): readonly PortConfig[] => {
  const text = answers.join('\n');
  if (text.split('\n').filter((line) => line === '1000 Success').length !== 2)
    throw new Error(`vde_switch does not show its ports: "${text.trim().slice(-120)}"`);
  const ports = new Map<string, { native: number | null; tagged: number[] }>();
  let vlan = 0;
  for (const line of text.split('\n')) {
    const [, name, untagged] = /^Port (\d+) untagged_vlan=(\d+) /.exec(line) ?? [];
    if (name !== undefined)
      ports.set(`${Number(name)}`, { native: Number(untagged) === none ? null : Number(untagged), tagged: [] });
    vlan = Number(/^VLAN (\d+)$/.exec(line)?.[1] ?? vlan);
    const [, member] = /^ -- Port (\d+) tagged=1 /.exec(line) ?? [];
    if (member !== undefined) ports.get(`${Number(member)}`)?.tagged.push(vlan);
  }
  return [...ports].map(([port, { native, tagged }]) => ({ port, native, tagged: tagged.sort((a, b) => a - b) }));
};

/** A vde_switch whose management console is reached over SSH (sshd with `ForceCommand unixterm`). */
export const vde: Dialect = {
  config: passwordOrKeyLogin(),
  capabilities: ['nativeless-trunk-mode'],
  portName: (name) =>
    /^[1-9]\d{0,4}$/.test(name)
      ? name
      : { refused: `${JSON.stringify(name.slice(0, 60))} is no port of this switch; ports look like "1"` },
  console: {
    prompt: /^(vde)\$$/,
    errors: [/^1\d{3} (?!Success)/],
    remarks: [/^1000 Success$/, /^1017 File exists$/, /^0000 DATA END/, /^\.$/],
    questions: [],
    setup: [],
  },
  enter: [],
  leave: [],
  vlans: (ids) => ids.map((vlan) => `vlan/create ${vlan}`),
  port: lines,
  read: {
    one: (port) => [`port/allprint ${port}`, 'vlan/allprint'],
    all: ['port/allprint', 'vlan/allprint'],
    parse: portsIn,
  },
};
