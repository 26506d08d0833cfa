import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useMemo, useState } from 'react';
import { allHeadnodes, allNetworks, allNodes, allSwitches } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { useProjects } from '../api/use-projects.ts';

interface PaletteState {
  readonly isOpen: boolean;
  readonly open: () => void;
  readonly close: () => void;
}

/** Open by Ctrl-K, from anywhere. */
export const usePalette = (): PaletteState => {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
};

/** Somewhere to go. */
interface Target {
  readonly kind: string;
  readonly name: string;
  readonly href: string;
}

const mostShown = 12;

/** Everything that has a name, the pages, and what can be done on them, found by typing. */
export const Palette = ({ palette }: { readonly palette: PaletteState }) => (
  <Dialog.Root open={palette.isOpen} onOpenChange={(isOpen) => (isOpen ? palette.open() : palette.close())}>
    <Dialog.Portal>
      <Dialog.Backdrop className="fixed inset-0 z-30 bg-veil" />
      <Dialog.Popup className="fixed top-[12vh] left-1/2 z-40 w-[min(34rem,calc(100vw-2rem))] -translate-x-1/2 overflow-hidden rounded-card border border-line bg-raised shadow-float">
        <Dialog.Title className="sr-only">Search or jump to</Dialog.Title>
        <Finder onDone={palette.close} />
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);

const Finder = ({ onDone }: { readonly onDone: () => void }) => {
  const targets = useTargets();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const found = useMemo(() => matching(targets, text), [targets, text]);
  const go = (target: Target | undefined): void => {
    if (target === undefined) return;
    onDone();
    void navigate({ href: target.href });
  };
  return (
    <>
      <input
        role="combobox"
        aria-label="Search or jump to"
        aria-expanded
        aria-controls={`${id}-found`}
        aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
        autoFocus
        className="h-11 w-full border-b border-line bg-transparent px-4 outline-none placeholder:text-dim"
        placeholder="A node, a network, a project, a headnode, a MAC address, a page, an action…"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
          else if (event.key === 'Enter') go(found[at]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id={`${id}-found`} role="listbox" aria-label="Found" className="max-h-96 overflow-auto p-1.5">
        {found.map((target, index) => (
          <li
            key={`${target.kind} ${target.name}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            className="flex h-8 cursor-pointer items-center gap-2 rounded-control px-2.5 hover:bg-sunken aria-selected:bg-accent-soft"
            onClick={() => go(target)}
          >
            <span className="w-20 text-fine text-dim">{target.kind}</span>
            <span className="truncate">{target.name}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="px-4 py-6 text-center text-dim">Nothing has that name</p>}
    </>
  );
};

const matching = (targets: readonly (Target & { readonly words: string })[], text: string): readonly Target[] => {
  const wanted = text.toLowerCase().split(/\s+/);
  const found: (Target & { readonly words: string })[] = [];
  for (const target of targets) {
    if (wanted.every((word) => target.words.includes(word))) found.push(target);
  }
  const last = wanted.at(-1) ?? '';
  // What begins like what was typed comes first.
  found.sort((a, b) => Number(b.name.toLowerCase().startsWith(last)) - Number(a.name.toLowerCase().startsWith(last)));
  return found.slice(0, mostShown);
};

const pages: readonly Target[] = [
  { kind: 'page', name: 'Overview', href: '/' },
  { kind: 'page', name: 'Nodes', href: '/nodes' },
  { kind: 'page', name: 'Racks', href: '/racks' },
  { kind: 'page', name: 'Free nodes', href: '/nodes?show=free' },
  { kind: 'page', name: 'My nodes', href: '/nodes?show=mine' },
  { kind: 'page', name: 'Claims', href: '/claims' },
  { kind: 'page', name: 'Releases', href: '/releases' },
  { kind: 'page', name: 'Networks', href: '/networks' },
  { kind: 'page', name: 'Headnodes', href: '/headnodes' },
  { kind: 'page', name: 'Topology', href: '/topology' },
  { kind: 'page', name: 'Events', href: '/events' },
  { kind: 'page', name: 'Quotas', href: '/quotas' },
  { kind: 'page', name: 'Subscriptions', href: '/subscriptions' },
  { kind: 'page', name: 'Usage', href: '/usage' },
  { kind: 'page', name: 'Account', href: '/account' },
  { kind: 'action', name: 'Reserve nodes', href: '/nodes?show=free' },
  { kind: 'action', name: 'Connect nodes to a network', href: '/nodes?show=mine' },
  { kind: 'action', name: 'Turn nodes on or off', href: '/nodes?show=mine' },
  { kind: 'action', name: 'Release nodes', href: '/nodes?show=mine' },
  { kind: 'action', name: 'Claim nodes by what they are', href: '/claims' },
  { kind: 'action', name: 'See how far a release is', href: '/releases' },
  { kind: 'action', name: 'Have events posted or mailed', href: '/subscriptions' },
  { kind: 'action', name: 'Create a network', href: '/networks' },
  { kind: 'action', name: 'Prove the isolation of a network', href: '/networks' },
  { kind: 'action', name: 'Create a headnode', href: '/headnodes' },
  { kind: 'action', name: 'Create an API token', href: '/account' },
  { kind: 'action', name: 'End a session', href: '/account' },
  { kind: 'action', name: 'Change your password', href: '/account' },
];

const operatorPages: readonly Target[] = [
  { kind: 'page', name: 'Switches', href: '/switches' },
  { kind: 'page', name: 'Drift', href: '/drift' },
  { kind: 'page', name: 'Cleaning', href: '/cleaning' },
  { kind: 'page', name: 'Set-up', href: '/setup' },
  { kind: 'page', name: 'Projects', href: '/projects' },
  { kind: 'page', name: 'Isolation of two projects', href: '/isolation' },
  { kind: 'page', name: 'Users', href: '/users' },
  { kind: 'action', name: 'Add a switch', href: '/setup/switch' },
  { kind: 'action', name: 'Add ports', href: '/setup/ports' },
  { kind: 'action', name: 'Register a node', href: '/setup/node' },
  { kind: 'action', name: 'Read all switches', href: '/drift' },
  { kind: 'action', name: 'Put back ports that drift', href: '/drift' },
  { kind: 'action', name: 'Clean a quarantined node again', href: '/cleaning' },
  { kind: 'action', name: 'Prove that two projects are apart', href: '/isolation' },
  { kind: 'action', name: 'Create a project', href: '/projects' },
  { kind: 'action', name: 'Limit what projects may have', href: '/quotas' },
  { kind: 'action', name: 'Create a user', href: '/users' },
];

const useTargets = (): readonly (Target & { readonly words: string })[] => {
  const { admin } = useMe();
  const nodes = useQuery(allNodes).data;
  const networks = useQuery(allNetworks).data;
  const headnodes = useQuery(allHeadnodes).data;
  const switches = useQuery({ ...allSwitches, enabled: admin }).data;
  const projects = useProjects();
  return useMemo(() => {
    const targets: (Target & { readonly also?: string })[] = [
      ...pages,
      ...(admin ? operatorPages : []),
      ...(nodes?.nodes ?? []).map(({ name, nics }) => ({
        kind: 'node',
        name,
        href: `/nodes/${encodeURIComponent(name)}`,
        also: nics.map(({ macaddr }) => macaddr).join(' '),
      })),
      ...(nodes?.nodes ?? [])
        .filter(({ project }) => project !== null)
        .map(({ name }) => ({ kind: 'console', name, href: `/nodes/${encodeURIComponent(name)}/console` })),
      ...(networks?.networks ?? []).map(({ name, network_id }) => ({
        kind: 'network',
        name,
        href: `/networks/${encodeURIComponent(name)}`,
        also: `vlan ${network_id}`,
      })),
      // The list of projects is for administrators; to everybody else a project is its nodes.
      ...projects.map((name) => ({
        kind: 'project',
        name,
        href: `${admin ? '/projects?q=' : '/nodes?project='}${encodeURIComponent(name)}`,
      })),
      ...(headnodes ?? []).map(({ name, project }) => ({
        kind: 'headnode',
        name,
        href: `/headnodes/${encodeURIComponent(name)}`,
        also: project,
      })),
      ...(switches?.switches ?? []).map(({ name, type }) => ({
        kind: 'switch',
        name,
        href: `/switches/${encodeURIComponent(name)}`,
        also: type,
      })),
    ];
    return targets.map(({ also = '', ...target }) => ({
      ...target,
      words: `${target.kind} ${target.name} ${also}`.toLowerCase(),
    }));
  }, [admin, nodes, networks, headnodes, switches, projects]);
};
