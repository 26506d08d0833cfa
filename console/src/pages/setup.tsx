import { Link } from '@tanstack/react-router';
import { ForAdministrators } from '../ui/for-administrators.tsx';
import { Page } from '../ui/page.tsx';
import { SiteDocument } from './setup-document.tsx';
import { SetUpSteps } from './setup-steps.tsx';
import { useSetUp } from './use-set-up.ts';

/** What to do first on an empty service, step by step, or all at once from a document. */
export const SetUpPage = () => (
  <ForAdministrators title="Set-up">
    <Page title="Set-up">
      <SetUpCards />
    </Page>
  </ForAdministrators>
);

/** The steps, and the document beside them. */
export const SetUpCards = () => (
  <div className="grid items-start gap-4 xl:grid-cols-[3fr_2fr]">
    <SetUpSteps />
    <SiteDocument />
  </div>
);

/** The way back to the steps, as long as some are left. */
export const SetUpLink = () => {
  const { steps } = useSetUp();
  const done = steps.filter(({ isDone }) => isDone === true).length;
  if (steps.every(({ isDone }) => isDone !== false)) return null;
  return (
    <p className="text-dim">
      <Link to="/setup" className="text-accent hover:underline">
        Set-up
      </Link>
      : {done} of {steps.length} steps are done.
    </p>
  );
};
