import { getRouteApi } from '@tanstack/react-router';
import { useProjects } from '../api/use-projects.ts';
import { Card } from '../ui/card.tsx';
import { onlyOne } from '../ui/choice-field.tsx';
import { Page } from '../ui/page.tsx';
import { ProjectField } from '../ui/project-field.tsx';
import { Empty } from '../ui/states.tsx';
import { ClaimNodes } from './claims-form.tsx';
import { ClaimsOf } from './claims-list.tsx';

const route = getRouteApi('/frame/claims');

/** Nodes by what they are: a form that claims them, and the claims that wait. */
export const ClaimsPage = () => {
  const projects = useProjects();
  const { project = onlyOne(projects) } = route.useSearch();
  const navigate = route.useNavigate();
  if (projects.length === 0)
    return (
      <Page title="Claims">
        <Card>
          <Empty title="You are in no project">
            Nodes are claimed for a project. An administrator adds you to one.
          </Empty>
        </Card>
      </Page>
    );
  return (
    <Page title="Claims">
      <Card title="Claim nodes">
        {projects.length > 1 && (
          <div className="border-b border-line p-3.5">
            <div className="max-w-xs">
              <ProjectField
                projects={projects}
                value={project}
                onChange={(next) => void navigate({ search: { project: next }, replace: true })}
              />
            </div>
          </div>
        )}
        {project === '' ? (
          <Empty title="Choose a project">Nodes are claimed for a project.</Empty>
        ) : (
          <ClaimNodes key={project} project={project} />
        )}
      </Card>
      {project !== '' && (
        <Card title="Claims">
          <ClaimsOf key={project} project={project} />
        </Card>
      )}
    </Page>
  );
};
