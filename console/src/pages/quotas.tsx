import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMe } from '../api/use-me.ts';
import { Card } from '../ui/card.tsx';
import { ChoiceField } from '../ui/choice-field.tsx';
import { linkLook } from '../ui/link-look.ts';
import { naturalOrder } from '../ui/natural-order.ts';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';
import { AllQuotas, DefaultQuotas } from './quotas-all.tsx';
import { type AskedOfQuotas, QuotaDialogs } from './quotas-dialogs.tsx';
import { ProjectQuotas } from './quotas-project.tsx';

const route = getRouteApi('/frame/quotas');

/** How much projects may have, and have. */
export const QuotasPage = () => {
  const { admin } = useMe();
  const { project } = route.useSearch();
  const [asked, setAsked] = useState<AskedOfQuotas | null>(null);
  return (
    <Page
      title="Quotas"
      actions={
        admin &&
        project !== undefined && (
          <Link to="/quotas" className={`${linkLook} px-3 font-medium`}>
            All projects
          </Link>
        )
      }
    >
      {admin ? (
        project === undefined ? (
          <>
            <DefaultQuotas onAsk={setAsked} />
            <AllQuotas />
          </>
        ) : (
          <ProjectQuotas project={project} onAsk={setAsked} />
        )
      ) : (
        <OwnQuotas project={project} onAsk={setAsked} />
      )}
      {asked !== null && <QuotaDialogs asked={asked} onClose={() => setAsked(null)} />}
    </Page>
  );
};

/** Those of the projects that the person is in, one at a time. */
const OwnQuotas = ({
  project,
  onAsk,
}: {
  readonly project: string | undefined;
  readonly onAsk: (asked: AskedOfQuotas) => void;
}) => {
  const navigate = route.useNavigate();
  const projects = [...useMe().projects].sort(naturalOrder);
  const shown = project ?? projects[0];
  if (shown === undefined)
    return (
      <Card>
        <Empty title="You are in no project">Quotas limit what projects have. An administrator adds you to one.</Empty>
      </Card>
    );
  return (
    <>
      {(projects.length > 1 || shown !== projects[0]) && (
        <Card>
          <div className="max-w-sm p-3.5">
            <ChoiceField
              label="Project"
              options={projects}
              value={shown}
              onChange={(next) => void navigate({ search: { project: next }, replace: true })}
            />
          </div>
        </Card>
      )}
      <ProjectQuotas project={shown} onAsk={onAsk} />
    </>
  );
};
