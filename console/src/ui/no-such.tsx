import { Link } from '@tanstack/react-router';
import { Card } from './card.tsx';
import { Empty } from './states.tsx';

const lists = { node: '/nodes', switch: '/switches' } as const;
const plurals = { node: 'nodes', switch: 'switches' } as const;

/** What a page shows in place of something that is gone, or never was. */
export const NoSuch = ({ kind, name }: { readonly kind: keyof typeof lists; readonly name: string }) => (
  <Card>
    <Empty title={`${kind === 'node' ? 'Node' : 'Switch'} ${name} does not exist`}>
      It was deleted, or never registered.{' '}
      <Link to={lists[kind]} className="text-accent underline">
        Show all {plurals[kind]}
      </Link>
    </Empty>
  </Card>
);
