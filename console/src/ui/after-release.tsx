import { useQuery } from '@tanstack/react-query';
import { cleansNodes } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';

/**
 * What becomes of nodes once they have left their project. Whether the site cleans them is for administrators to know,
 * so others read what is true either way.
 */
export const AfterRelease = ({ count }: { readonly count: number }) => {
  const { admin } = useMe();
  const isCleaned = useQuery({ ...cleansNodes, enabled: admin }).data;
  const [it, its, is] = count === 1 ? ['it', 'its', 'is'] : ['them', 'their', 'are'];
  return (
    <>
      A release leaves {its} disks and power as they are.{' '}
      {isCleaned === undefined
        ? `After that others can reserve ${it}; a site that cleans nodes does so first.`
        : isCleaned
          ? `Then the service cleans ${it}, and others can reserve ${it} once ${count === 1 ? 'it' : 'they'} ${is} clean.`
          : `Then others can reserve ${it}.`}
    </>
  );
};
