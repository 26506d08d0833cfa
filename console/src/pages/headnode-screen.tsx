import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Eye, Keyboard, Maximize, Minimize, RotateCw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { HeadnodeOverview } from '../api/client.ts';
import { allHeadnodes, headnodeImages } from '../api/queries.ts';
import type { TunnelState } from '../api/tunnel.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Command } from '../ui/command.tsx';
import { headnodeStateOf, isRunning } from '../ui/headnode-state.ts';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { Empty } from '../ui/states.tsx';
import { TunnelNotice } from '../ui/tunnel-notice.tsx';
import { useFullScreen } from '../ui/use-full-screen.ts';
import { ScreenLine } from './headnode-screen-line.ts';

const route = getRouteApi('/frame/headnodes/$headnode/screen');

/** The screen of a headnode, with its keyboard and mouse. */
export const HeadnodeScreenPage = () => {
  const { headnode: name } = route.useParams();
  const query = useQuery(allHeadnodes);
  const headnode = query.data?.find((each) => each.name === name);
  return (
    <Page
      title={`Screen of ${name}`}
      heading={
        <>
          Screen of{' '}
          <Link
            to="/headnodes/$headnode"
            params={{ headnode: name }}
            className="font-mono break-all text-accent hover:underline"
          >
            {name}
          </Link>
        </>
      }
    >
      <Loaded key={name} query={query}>
        {() =>
          headnode !== undefined && isRunning(headnode) ? (
            <Screen headnode={name} />
          ) : (
            <Card>
              <NoScreen name={name} headnode={headnode} />
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
};

/** Why there is nothing to see, and the way out. */
const NoScreen = ({ name, headnode }: { readonly name: string; readonly headnode: HeadnodeOverview | undefined }) => {
  const images = useQuery(headnodeImages).data;
  if (headnode === undefined) return <Empty title={`Headnode ${name} does not exist, or you may not see it`} />;
  const canStart = headnode.state === 'created';
  return (
    <Empty title={`Headnode ${name} is not running, so it has no screen`}>
      <p>
        It is {headnodeStateOf(headnode)}.{' '}
        {canStart && images?.length === 0
          ? 'It cannot be started here: no image is installed (settings "hypervisor" and "images").'
          : canStart && 'Start it first, on its own page.'}
      </p>
      {canStart && images?.length !== 0 && (
        <div className="mt-3 flex">
          <Command text={commandOf('headnode', 'start', name)} />
        </div>
      )}
    </Empty>
  );
};

const Screen = ({ headnode }: { readonly headnode: string }) => {
  const place = useRef<HTMLDivElement>(null);
  const toolbar = useRef<HTMLDivElement>(null);
  const line = useRef<ScreenLine>(null);
  const [state, setState] = useState<TunnelState>({ kind: 'connecting' });
  const [isViewOnly, setViewOnly] = useState(false);
  const [isFull, setFull] = useFullScreen();
  useEffect(() => {
    if (place.current === null) return;
    const opened = new ScreenLine(headnode, place.current, false, {
      state: setState,
      released: () => toolbar.current?.querySelector('button')?.focus(),
    });
    line.current = opened;
    return () => opened.close();
  }, [headnode]);
  useEffect(() => {
    if (line.current !== null) line.current.viewOnly = isViewOnly;
  }, [isViewOnly]);
  const notNow = state.kind === 'open' ? null : `There is no connection to ${headnode}`;
  return (
    <div className={isFull ? 'fixed inset-0 z-20 flex flex-col bg-bg' : 'grid gap-3'}>
      <section
        aria-label={`Screen of ${headnode}`}
        className="flex min-h-0 min-w-0 flex-1 flex-col rounded-card border border-line bg-panel"
      >
        <div ref={toolbar} className="flex flex-wrap items-center gap-2 border-b border-line p-2">
          <Button
            unless={notNow ?? (isViewOnly ? 'You only look: nothing is typed' : null)}
            onClick={() => line.current?.sendCtrlAltDel()}
          >
            <Keyboard size={14} aria-hidden /> Ctrl-Alt-Del
          </Button>
          <Button aria-pressed={isViewOnly} onClick={() => setViewOnly(!isViewOnly)}>
            <Eye size={14} aria-hidden /> {isViewOnly ? 'Only looking' : 'Only look'}
          </Button>
          <Button onClick={() => line.current?.connect()}>
            <RotateCw size={14} aria-hidden /> Reconnect
          </Button>
          <Button className="ml-auto" onClick={() => setFull(!isFull)}>
            {isFull ? <Minimize size={14} aria-hidden /> : <Maximize size={14} aria-hidden />}
            {isFull ? 'Leave full screen' : 'Full screen'}
          </Button>
        </div>
        <TunnelNotice to={headnode} state={state} onConnect={() => line.current?.connect()} />
        <div
          ref={place}
          tabIndex={0}
          role="application"
          aria-label={`Keyboard and mouse of ${headnode}`}
          onFocus={(event) => event.target === event.currentTarget && line.current?.focus()}
          className={`overflow-hidden rounded-b-card bg-chassis ${isFull ? 'min-h-0 flex-1' : screenHeight}`}
        />
      </section>
      {!isFull && (
        <p className="text-fine text-dim">
          The headnode gets every key while its screen has the focus. <kbd>Ctrl</kbd>+<kbd>Alt</kbd>+<kbd>Shift</kbd>{' '}
          gives the keyboard back to this page. Others of the project can look at the same time.
        </p>
      )}
    </div>
  );
};

const screenHeight = 'h-[max(14rem,calc(100dvh-20rem))]';
