import '@xterm/xterm/css/xterm.css';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, Copy, Maximize, Minimize } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { nodeNamed } from '../api/queries.ts';
import type { TunnelState } from '../api/tunnel.ts';
import { useMe } from '../api/use-me.ts';
import { Button } from '../ui/button.tsx';
import { Command } from '../ui/command.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EnableObm } from '../ui/obm.tsx';
import { FilterInput } from '../ui/filter-input.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { Empty } from '../ui/states.tsx';
import { TunnelNotice } from '../ui/tunnel-notice.tsx';
import { useFullScreen } from '../ui/use-full-screen.ts';
import { PowerControls } from './node-power.tsx';
import { linesIn, SerialLine } from './serial-console-line.ts';

const route = getRouteApi('/frame/nodes/$node/console');

/** The serial console of a node, as a terminal. */
export const SerialConsolePage = () => {
  const { node } = route.useParams();
  return (
    <Page
      title={`Console of ${node}`}
      heading={
        <>
          Console of{' '}
          <Link to="/nodes/$node" params={{ node }} className="font-mono text-accent hover:underline">
            {node}
          </Link>
        </>
      }
    >
      <Loaded key={node} query={useQuery(nodeNamed(node))}>
        {({ obm_enabled }) =>
          obm_enabled === true ? (
            <SerialConsole node={node} />
          ) : (
            <Empty title={`OBM of node ${node} is disabled`}>
              {obm_enabled === null ? (
                'Its console is for those whose project has it.'
              ) : (
                <div className="grid justify-items-center gap-3">
                  The serial console needs out-of-band management.
                  <EnableObm node={node} />
                </div>
              )}
            </Empty>
          )
        }
      </Loaded>
    </Page>
  );
};

const SerialConsole = ({ node }: { readonly node: string }) => {
  const place = useRef<HTMLDivElement>(null);
  const searchField = useRef<HTMLDivElement>(null);
  const line = useRef<SerialLine>(null);
  const [state, setState] = useState<TunnelState>({ kind: 'connecting' });
  const [pasted, setPasted] = useState<string | null>(null);
  const [selection, setSelection] = useState('');
  const [found, setFound] = useState<{ readonly index: number; readonly count: number } | null>(null);
  const [isFull, setFull] = useFullScreen();
  const { name: me } = useMe();
  useEffect(() => {
    if (place.current === null) return;
    const opened = new SerialLine({ node, me }, place.current, {
      state: setState,
      paste: setPasted,
      selection: setSelection,
      found: (index, count) => setFound({ index, count }),
      search: () => searchField.current?.querySelector('input')?.focus(),
    });
    line.current = opened;
    return () => opened.close();
  }, [node, me]);
  const answered = (text: string | null): void => {
    setPasted(null);
    if (text !== null) line.current?.paste(text);
  };
  return (
    <div className={isFull ? 'fixed inset-0 z-20 flex flex-col bg-bg' : 'grid gap-3'}>
      <section
        aria-label={`Console of ${node}`}
        className="flex min-h-0 flex-1 flex-col rounded-card border border-line bg-panel"
      >
        <div className="flex flex-wrap items-center gap-2 border-b border-line p-2">
          <div ref={searchField} className="flex min-w-0 items-center gap-1">
            <Search found={found} onFind={(text, way) => line.current?.find(text, way)} />
          </div>
          <div className="ml-auto flex flex-wrap items-center gap-2">
            <Button
              unless={
                selection === ''
                  ? 'Nothing is selected: select with the mouse, with Shift if the machine uses it'
                  : isSecureContext
                    ? null
                    : 'Browsers let pages copy only over HTTPS: use the menu of the browser'
              }
              onClick={() => void navigator.clipboard.writeText(selection)}
            >
              <Copy size={14} aria-hidden /> Copy
            </Button>
            <Button onClick={() => setFull(!isFull)}>
              {isFull ? <Minimize size={14} aria-hidden /> : <Maximize size={14} aria-hidden />}
              {isFull ? 'Leave full screen' : 'Full screen'}
            </Button>
          </div>
        </div>
        <div className="border-b border-line p-2">
          <PowerControls node={node} />
        </div>
        <TunnelNotice to={node} state={state} onConnect={() => line.current?.connect()} />
        <div className={`overflow-hidden rounded-b-card bg-bg p-2 font-mono ${isFull ? 'min-h-0 flex-1' : termHeight}`}>
          <div ref={place} className="h-full min-w-0 font-mono" />
        </div>
      </section>
      {!isFull && <Command text={commandOf('node', 'console', node)} />}
      <Dialog title={`Paste ${linesIn(pasted ?? '')} lines?`} isOpen={pasted !== null} onClose={() => answered(null)}>
        <p className="mb-3 text-dim">
          {node} takes each line as if you had typed it and pressed Enter, whatever is running there.
        </p>
        <pre className="mb-4 max-h-60 overflow-auto rounded-control border border-line bg-sunken p-2.5 font-mono text-fine">
          {(pasted ?? '').slice(0, shownCharacters)}
        </pre>
        <div className="flex justify-end gap-2">
          <Button onClick={() => answered(null)}>Cancel</Button>
          <Button look="primary" onClick={() => answered(pasted)}>
            Paste {linesIn(pasted ?? '')} lines
          </Button>
        </div>
      </Dialog>
    </div>
  );
};

const termHeight = 'h-[max(18rem,calc(100dvh-22rem))]';
/** More of a paste is not shown, though it is pasted. */
const shownCharacters = 4_000;

const Search = ({
  found,
  onFind,
}: {
  readonly found: { readonly index: number; readonly count: number } | null;
  readonly onFind: (text: string, way: 'next' | 'previous') => void;
}) => {
  const [text, setText] = useState('');
  return (
    <form
      role="search"
      className="flex min-w-0 items-center gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        onFind(text, 'previous');
      }}
    >
      <FilterInput
        label="Find in the console"
        value={text}
        onChange={(next) => {
          setText(next);
          onFind(next, 'previous');
        }}
      />
      <Button
        look="quiet"
        aria-label="Find the previous one"
        className="px-1.5!"
        onClick={() => onFind(text, 'previous')}
      >
        <ArrowUp size={14} aria-hidden />
      </Button>
      <Button look="quiet" aria-label="Find the next one" className="px-1.5!" onClick={() => onFind(text, 'next')}>
        <ArrowDown size={14} aria-hidden />
      </Button>
      <span role="status" aria-label="Found" className="min-w-16 text-fine whitespace-nowrap text-dim">
        {text !== '' && found !== null && (found.count === 0 ? 'none' : `${found.index + 1} of ${found.count}`)}
      </span>
    </form>
  );
};
