import { useQueryClient } from '@tanstack/react-query';
import { corral, type Subscription } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Command } from '../ui/command.tsx';
import { Dialog, focusedFirst } from '../ui/dialog.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { sentenceOf } from '../ui/states.tsx';
import { targetWords } from '../ui/subscription-words.ts';
import { useAction } from '../ui/use-action.ts';
import { Result } from './subscriptions-deliveries.tsx';

/** Sends a message that is about nothing, and says what became of it. */
export const TestSubscription = ({ one, onClose }: { readonly one: Subscription; readonly onClose: () => void }) => {
  const { subscription } = one;
  const queries = useQueryClient();
  const test = useAction({
    mutationFn: () => corral.subscriptionTest({ subscription }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['subscriptions'] }),
  });
  return (
    <Dialog title={`Test ${subscription}`} isOpen onClose={onClose}>
      <div className="grid gap-4">
        <p className="wrap-anywhere">A test message is sent to {targetWords(one)}, as it would be for an event.</p>
        {test.data !== undefined && <Result {...test.data} />}
        {test.error && (
          <p role="alert" className="text-bad">
            {sentenceOf(test.error)}
          </p>
        )}
        <div className="flex min-w-0">
          <Command text={commandOf('subscription', 'test', subscription)} />
        </div>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Close</Button>
          <Button {...focusedFirst} look="primary" isBusy={test.isPending} onClick={test.start}>
            Send test
          </Button>
        </div>
      </div>
    </Dialog>
  );
};
