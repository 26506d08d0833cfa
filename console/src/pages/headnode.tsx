import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Monitor } from 'lucide-react';
import { corral, type HeadnodeOverview } from '../api/client.ts';
import { allHeadnodes, eventsOfHeadnode } from '../api/queries.ts';
import { Ask } from '../ui/ask.tsx';
import { Card } from '../ui/card.tsx';
import { Facts } from '../ui/facts.tsx';
import { HeadnodeBadge } from '../ui/headnode-badge.tsx';
import { isRunning, startRefusal, stopRefusal } from '../ui/headnode-state.ts';
import { History } from '../ui/history.tsx';
import { linkLook } from '../ui/link-look.ts';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { Empty } from '../ui/states.tsx';
import { HeadnodeHnics } from './headnode-hnics.tsx';

const route = getRouteApi('/frame/headnodes/$headnode');

interface OneHeadnode {
  readonly headnode: HeadnodeOverview;
}

/** One headnode: what it does, what it is on, and everything that can be done with it. */
export const HeadnodePage = () => {
  const { headnode: name } = route.useParams();
  const query = useQuery(allHeadnodes);
  const headnode = query.data?.find((each) => each.name === name);
  return (
    <Page
      key={name}
      title={name}
      heading={
        <span className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="font-mono break-all">{name}</span>
          {headnode !== undefined && (
            <span role="status" aria-label="State">
              <HeadnodeBadge headnode={headnode} />
            </span>
          )}
        </span>
      }
      actions={headnode !== undefined && <Actions headnode={headnode} />}
    >
      <Loaded query={query} rows={8}>
        {() => (headnode === undefined ? <Missing name={name} /> : <Parts headnode={headnode} />)}
      </Loaded>
    </Page>
  );
};

const Missing = ({ name }: { readonly name: string }) => (
  <Card>
    <Empty title={`Headnode ${name} does not exist, or you may not see it`}>
      <Link to="/headnodes" className="text-accent underline">
        Show all headnodes
      </Link>
    </Empty>
  </Card>
);

const Parts = ({ headnode }: OneHeadnode) => {
  const { name, project, base_img, uuid } = headnode;
  return (
    <>
      <Card>
        <Facts
          facts={{
            Project: project,
            Image: <span className="font-mono">{base_img}</span>,
            UUID: <span className="font-mono text-fine break-all">{uuid}</span>,
          }}
        />
        <p className="border-t border-line px-3.5 py-2.5 text-dim">{sentences[headnode.state]}</p>
      </Card>
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <HeadnodeHnics headnode={headnode} />
        <History of={name} search={{ headnode: name }} query={useQuery(eventsOfHeadnode(name))} />
      </div>
    </>
  );
};

/** What can be done with it, and what cannot any more. */
const sentences: Readonly<Record<HeadnodeOverview['state'], string>> = {
  created: 'Its hnics and networks can be changed until it is started for the first time, and not after that.',
  started: 'It has been started, so its hnics and networks stay as they are. Once stopped, it can only be deleted.',
  stopped: 'It was stopped and cannot be started again. What is on its disk is there until it is deleted.',
  deleting: 'It is being deleted. If that does not end, delete it again.',
};

const Actions = ({ headnode }: OneHeadnode) => {
  const { name } = headnode;
  return (
    <>
      {isRunning(headnode) && (
        // The viewer is big: it is loaded when it is opened, and not when the pointer is near.
        <Link
          to="/headnodes/$headnode/screen"
          params={{ headnode: name }}
          preload={false}
          className={`${linkLook} px-3 font-medium`}
        >
          <Monitor size={15} aria-hidden />
          Screen
        </Link>
      )}
      <Ask
        label="Start"
        unless={startRefusal(headnode)}
        title={`Start ${name}?`}
        verb="Start"
        command={commandOf('headnode', 'start', name)}
        run={() => corral.headnodeStart({ headnode: name })}
      >
        Its machine is made now, with the hnics and networks that it has: they cannot be changed any more.
      </Ask>
      <Ask
        label="Stop"
        look="danger"
        unless={stopRefusal(headnode)}
        title={`Stop ${name}?`}
        verb="Stop"
        command={commandOf('headnode', 'stop', name)}
        run={() => corral.headnodeStop({ headnode: name })}
      >
        {name} loses its power at once, and cannot be started again: then it can only be deleted.
      </Ask>
      <DeleteHeadnode headnode={headnode} />
    </>
  );
};

const DeleteHeadnode = ({ headnode: { name } }: OneHeadnode) => {
  const navigate = useNavigate();
  return (
    <Ask
      label="Delete…"
      look="danger"
      title={`Delete headnode ${name}?`}
      verb={`Delete ${name}`}
      command={commandOf('headnode', 'delete', name)}
      run={async () => {
        await corral.headnodeDelete({ headnode: name });
        await navigate({ to: '/headnodes' });
      }}
    >
      The machine, its disk and its hnics are gone for good.
    </Ask>
  );
};
