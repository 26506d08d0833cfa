import { ascending, unclear } from '../vlan-lists.ts';
import { UnusableAnswer } from './config-sections.ts';
import type { Dialect, PortChange, ShownPort } from './dialect.ts';
import { vdeHashTable } from './mac-tables.ts';
import { passwordOrKeyLogin } from './cli-login.ts';

/** vde_switch's number for "no untagged VLAN": what comes without a tag is dropped. */
const none = 4095;

/** What goes is taken away before what comes is added, so that at no moment it carries more than it did or shall. */
const lines = ({ wanted, was }: PortChange): readonly string[] => {
  const { port, native } = wanted;
  const goes = was.tagged.filter((vlan) => !wanted.tagged.includes(vlan));
  const comes = wanted.tagged.filter((vlan) => !was.tagged.includes(vlan));
  return [
    ...goes.map((vlan) => `vlan/delport ${vlan} ${port}`),
    // A port that shall carry nothing is always configured so: the output may show less than is configured.
    ...(native === was.native && native !== null ? [] : [`port/setvlan ${port} ${native ?? none}`]),
    ...comes.map((vlan) => `vlan/addport ${vlan} ${port}`),
  ];
};

/** What stands at the first column of both answers, beside the lines that are read. */
const frame = /^(?:0000 DATA END WITH '\.'|\.|1000 Success)$/;

/** `port/allprint` tells the ports and their untagged VLAN, `vlan/allprint` after it who is tagged in which. */
const portsIn = (answers: readonly string[]): readonly ShownPort[] => {
  const text = answers.join('\n');
  if (text.split('\n').filter((line) => line === '1000 Success').length !== 2)
    throw new Error(`vde_switch does not show its ports: "${text.trim().slice(-120)}"`);
  const ports = new Map<string, { native: number | null; tagged: number[]; strange?: string }>();
  let vlan: number | null = null;
  for (const line of text.split('\n').filter((each) => each !== '' && !frame.test(each))) {
    const [, name, untagged] = /^Port (\d+) untagged_vlan=(\d+) /.exec(line) ?? [];
    const [, id] = /^VLAN (\d+)$/.exec(line) ?? [];
    const [, member, tagged] = /^ -- Port (\d+) tagged=([01]) /.exec(line) ?? [];
    const port = ports.get(`${Number(member)}`);
    if (name !== undefined && vlan === null)
      ports.set(`${Number(name)}`, { native: Number(untagged) === none ? null : Number(untagged), tagged: [] });
    else if (id !== undefined) vlan = Number(id);
    else if (member !== undefined && vlan !== null) {
      if (tagged === '1') port?.tagged.push(vlan);
      else if (port && port.native !== vlan) port.strange = `VLAN ${vlan}:${line}`;
    } else if (vlan !== null || !/^\s/.test(line)) throw new UnusableAnswer(line);
  }
  return [...ports].map(([port, { native, tagged, strange }]) =>
    strange === undefined ? { port, native, tagged: ascending(tagged) } : { port, ...unclear(strange) },
  );
};

/** A vde_switch whose management console is reached over SSH (sshd with `ForceCommand unixterm`). */
export const vde: Dialect = {
  config: passwordOrKeyLogin(),
  capabilities: ['nativeless-trunk-mode'],
  portName: (name) =>
    /^[1-9]\d{0,4}$/.test(name)
      ? name
      : { refused: `${JSON.stringify(name.slice(0, 60))} is not a port of this switch; ports look like "1"` },
  syntax: {
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
  neighbours: vdeHashTable,
};
