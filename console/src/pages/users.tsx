import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { allUsers, type User } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { FilterInput } from '../ui/filter-input.tsx';
import { ForAdministrators } from '../ui/for-administrators.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { type RowAction, RowMenu } from '../ui/row-menu.tsx';
import { Empty } from '../ui/states.tsx';
import type { ListSearch } from './list-search.ts';
import { CreateUser } from './users-create.tsx';
import { type AskedOfUser, UserDialogs } from './users-dialogs.tsx';

const route = getRouteApi('/frame/users');

/** Everybody who has a password here, what they may do, and for which projects. */
export const UsersPage = () => (
  <ForAdministrators title="Users">
    <Users />
  </ForAdministrators>
);

const Users = () => {
  const [isCreating, setCreating] = useState(false);
  const [asked, setAsked] = useState<AskedOfUser | null>(null);
  const users = useQuery(allUsers);
  return (
    <Page
      title="Users"
      actions={
        users.data && (
          <Button look="primary" onClick={() => setCreating(true)}>
            Create user…
          </Button>
        )
      }
    >
      <Card>
        <Loaded query={users}>{(all) => <UserTable users={all} onAsk={setAsked} />}</Loaded>
      </Card>
      {isCreating && <CreateUser onClose={() => setCreating(false)} />}
      {asked !== null && <UserDialogs asked={asked} onClose={() => setAsked(null)} />}
    </Page>
  );
};

const UserTable = ({
  users,
  onAsk,
}: {
  readonly users: readonly User[];
  readonly onAsk: (asked: AskedOfUser) => void;
}) => {
  const { q = '', sort = 'user' } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: ListSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const columns = useColumns(onAsk);
  const wanted = q.toLowerCase();
  const found = users.filter(({ name, projects }) =>
    [name, ...projects].some((text) => text.toLowerCase().includes(wanted)),
  );
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 border-b border-line p-3">
        <FilterInput label="Name, project" value={q} onChange={(text) => change({ q: text })} />
        <span className="ml-auto text-fine text-dim" role="status">
          {found.length} of {users.length}
        </span>
      </div>
      {found.length === 0 ? (
        <Empty title={users.length === 0 ? 'There are no users' : 'No user fits'}>
          {users.length === 0 ? 'Create the first one.' : 'Change the filter.'}
        </Empty>
      ) : (
        <DataTable
          label="Users"
          rows={sorted(found, columns, sort)}
          columns={columns}
          keyOf={({ name }) => name}
          sort={sort}
          onSort={(next) => change({ sort: next })}
          minWidth={560}
        />
      )}
    </>
  );
};

const useColumns = (onAsk: (asked: AskedOfUser) => void): readonly Column<User>[] => {
  const me = useMe();
  const navigate = useNavigate();
  const actionsFor = ({ name, is_admin }: User): readonly RowAction[] => {
    const ask = (what: AskedOfUser['what']) => (): void => onAsk({ what, user: name });
    const isMe = name === me.name;
    return [
      { label: 'Projects…', onChoose: ask('projects') },
      isMe
        ? { label: 'Change my password', onChoose: () => void navigate({ to: '/account' }) }
        : { label: 'Set password…', onChoose: ask('password') },
      {
        label: is_admin ? 'Take administrative access…' : 'Give administrative access…',
        onChoose: ask(is_admin ? 'demote' : 'promote'),
        unless: isMe ? 'You cannot change your own admin status; ask another administrator.' : null,
      },
      { label: 'Delete…', isDanger: true, onChoose: ask('delete') },
    ];
  };
  return [
    {
      name: 'user',
      heading: 'User',
      width: '30%',
      sortsBy: ({ name }) => name,
      cell: ({ name }) => (
        <>
          <span className="truncate font-mono" title={name}>
            {name}
          </span>
          {name === me.name && <span className="text-fine text-dim">you</span>}
        </>
      ),
    },
    {
      name: 'access',
      heading: 'Access',
      width: '150px',
      sortsBy: ({ is_admin }) => (is_admin ? 0 : 1),
      cell: ({ is_admin }) =>
        is_admin ? <Badge tone="accent">administrator</Badge> : <span className="text-dim">user</span>,
    },
    {
      name: 'projects',
      heading: 'Projects',
      sortsBy: ({ projects }) => projects.join(' '),
      cell: ({ projects }) =>
        projects.length === 0 ? (
          <span className="text-dim">none</span>
        ) : (
          <span className="truncate" title={projects.join(', ')}>
            {projects.join(', ')}
          </span>
        ),
    },
    {
      name: 'actions',
      heading: 'Actions',
      hidesHeading: true,
      width: '56px',
      cell: (user) => <RowMenu label={`Actions for ${user.name}`} actions={actionsFor(user)} />,
    },
  ];
};
