import { useState } from 'react';
import { corral, type Subscription } from '../api/client.ts';
import { useMe } from '../api/use-me.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { formWords } from '../ui/form-words.ts';
import { commandOf } from '../ui/shell-word.ts';
import { filterWords, isMail, siteWords } from '../ui/subscription-words.ts';
import { WhichEvents } from './subscriptions-fields.tsx';
import { fieldsOf, filterOf, filterOptions, keptOf, refusedField } from './subscriptions-request.ts';

/** Changes where a subscription goes to, and which events it is for. */
export const ChangeSubscription = ({ one, onClose }: { readonly one: Subscription; readonly onClose: () => void }) => {
  const { admin } = useMe();
  const [url, setUrl] = useState(one.url);
  const [fields, setFields] = useState(() => fieldsOf(one.filter));
  const { subscription } = one;
  const options = filterOptions(fields);
  const isNewFilter = options.join(' ') !== filterOptions(fieldsOf(one.filter)).join(' ');
  const isNewUrl = url !== one.url;
  const kept = keptOf(one.filter);
  const keepsSome = Object.keys(kept).length > 0;
  return (
    <ActionDialog
      title={`Change ${subscription}`}
      label="Change subscription"
      unless={url === '' ? 'Say where events go first' : isNewUrl || isNewFilter ? null : 'Nothing is changed yet'}
      command={
        isNewFilter && keepsSome
          ? null
          : commandOf(
              ...['subscription', 'update', subscription],
              ...(isNewUrl ? ['--url', url] : []),
              ...(isNewFilter ? (options.length === 0 ? ['--all'] : options) : []),
            )
      }
      run={() =>
        corral.subscriptionUpdate({
          subscription,
          ...(isNewUrl ? { url } : {}),
          ...(isNewFilter ? { filter: { ...kept, ...filterOf(fields) } } : {}),
        })
      }
      stale={['subscriptions']}
      onClose={onClose}
    >
      {(refusal) => {
        const isAboutUrl = refusal !== null && !isMail(one) && refusedField(refusal) === 'target';
        return (
          <>
            {!isMail(one) && (
              <TextField
                label="Address"
                autoComplete="off"
                required
                value={url}
                error={isAboutUrl ? refusal : null}
                onChange={({ target }) => setUrl(target.value)}
              />
            )}
            <WhichEvents value={fields} onChange={setFields} />
            {keepsSome && <p>It stays limited to {filterWords(kept)}.</p>}
            <p className="text-dim">What waits for its next attempt is tried at once.</p>
            {refusal !== null && !isAboutUrl && (
              <p role="alert" className="text-bad">
                {siteWords(formWords(refusal), admin)}
              </p>
            )}
          </>
        );
      }}
    </ActionDialog>
  );
};
