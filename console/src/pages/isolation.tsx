import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { allSwitches, projectNames } from '../api/queries.ts';
import { Card } from '../ui/card.tsx';
import { ChoiceField } from '../ui/choice-field.tsx';
import { ForAdministrators } from '../ui/for-administrators.tsx';
import { linkLook } from '../ui/link-look.ts';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { IsolationProof } from './isolation-proof.tsx';
import type { IsolationSearch } from './isolation-search.ts';

const route = getRouteApi('/frame/isolation');

/** Whether two projects can hear each other anywhere, as the switches say now. */
export const IsolationPage = () => (
  <ForAdministrators title="Isolation">
    <Isolation />
  </ForAdministrators>
);

const Isolation = () => (
  <Page
    title="Isolation"
    actions={
      <Link to="/projects" className={`${linkLook} no-print px-3 font-medium`}>
        Projects
      </Link>
    }
  >
    <Loaded query={useQuery(projectNames)}>{(projects) => <OfTwo projects={projects} />}</Loaded>
  </Page>
);

const OfTwo = ({ projects }: { readonly projects: readonly string[] }) => {
  const { a = '', b = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const switches = useQuery(allSwitches).data?.switches;
  const choose = (next: IsolationSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <>
      <Card className="no-print">
        {/* A link may name a project that is gone. */}
        <div className="grid max-w-2xl gap-3 p-3.5 sm:grid-cols-2">
          <ChoiceField label="One project" options={projects} value={a} onChange={(name) => choose({ a: name })} />
          <ChoiceField label="The other" options={projects} value={b} onChange={(name) => choose({ b: name })} />
        </div>
      </Card>
      <IsolationProof
        key={JSON.stringify([a, b])}
        projects={[a, b]}
        unless={refusalOf([a, b], projects) ?? (switches?.length === 0 ? 'There are no switches yet' : null)}
      />
    </>
  );
};

const refusalOf = (pair: readonly [string, string], projects: readonly string[]): string | null => {
  if (pair.includes('')) return 'Choose two projects';
  if (pair[0] === pair[1]) return 'Choose two different projects';
  const missing = pair.find((name) => !projects.includes(name));
  return missing === undefined ? null : `Project ${missing} does not exist`;
};
