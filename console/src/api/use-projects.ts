import { useQuery } from '@tanstack/react-query';
import { projectNames } from './queries.ts';
import { useMe } from './use-me.ts';

/** The projects that the person may act for. */
export const useProjects = (): readonly string[] => {
  const { admin, projects } = useMe();
  const all = useQuery({ ...projectNames, enabled: admin }).data;
  return admin ? (all ?? projects) : projects;
};
