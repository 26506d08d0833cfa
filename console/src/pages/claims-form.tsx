import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { corral } from '../api/client.ts';
import { allNodes } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceField } from '../ui/choice-field.tsx';
import { Command } from '../ui/command.tsx';
import { CheckField, TextField } from '../ui/field.tsx';
import { formWords } from '../ui/form-words.ts';
import { metadataLabels } from '../ui/metadata-labels.ts';
import { sentenceOf } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { Conditions } from './claims-conditions.tsx';
import { ClaimPreview } from './claims-preview.tsx';
import { claimCommand, type ClaimForm, emptyForm, formMistake, wantedOf } from './claims-request.ts';

/** Asks for nodes by what they are, with how many fit now beside it. */
export const ClaimNodes = ({ project }: { readonly project: string }) => {
  const [form, setForm] = useState(emptyForm);
  const queries = useQueryClient();
  const nodes = useQuery(allNodes).data?.nodes;
  const labels = useMemo(() => metadataLabels(nodes ?? []).map(({ label }) => label), [nodes]);
  const mistake = formMistake(form);
  const command = claimCommand(project, form);
  const claim = useAction({
    mutationFn: () => corral.projectClaim({ project, ...wantedOf(form), wait: form.wait }),
    onSettled: () => {
      for (const key of ['claims', 'claim-preview', 'nodes']) void queries.invalidateQueries({ queryKey: [key] });
    },
  });
  const change = (part: Partial<ClaimForm>): void => {
    claim.forget();
    setForm({ ...form, ...part });
  };
  return (
    <form
      className="grid gap-4 p-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (mistake === null) claim.start();
      }}
    >
      <div className="grid gap-x-6 gap-y-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid content-start gap-4">
          <Size form={form} onChange={change} />
          <Conditions rows={form.rows} labels={labels} onChange={(rows) => change({ rows })} />
          <Preference form={form} onChange={change} />
          <CheckField
            label="Wait in line if too few fit"
            about="First come, first served, for 30 days at most. It goes on when this page is closed."
            checked={form.wait}
            onChange={({ target }) => change({ wait: target.checked })}
          />
        </div>
        <ClaimPreview project={project} form={form} />
      </div>
      {claim.error !== null && (
        <p role="alert" className="wrap-anywhere text-bad">
          {formWords(sentenceOf(claim.error))}
        </p>
      )}
      {claim.data !== undefined && <Outcome nodes={claim.data.nodes} place={claim.data.place} project={project} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        {command !== null && <Command text={command} />}
        <Button type="submit" look="primary" unless={mistake} isBusy={claim.isPending}>
          Claim
        </Button>
      </div>
    </form>
  );
};

interface PartProps {
  readonly form: ClaimForm;
  readonly onChange: (part: Partial<ClaimForm>) => void;
}

const Size = ({ form, onChange }: PartProps) => (
  <div className="grid items-start gap-4 sm:grid-cols-2">
    <TextField
      label="How many nodes"
      about="All of them, or none."
      type="number"
      min={1}
      max={100}
      required
      value={form.count}
      onChange={({ target }) => onChange({ count: target.value })}
    />
    <TextField
      label="Nics of each, at least"
      about="Empty: any number."
      type="number"
      min={1}
      max={1_000}
      value={form.nics}
      onChange={({ target }) => onChange({ nics: target.value })}
    />
  </div>
);

const preferences = [
  { value: 'any', label: 'Any of them' },
  { value: 'spread', label: 'Spread: as many values as possible' },
  { value: 'pack', label: 'Pack: as few values as possible' },
] as const;

const Preference = ({ form, onChange }: PartProps) => (
  <div className="grid items-start gap-4 sm:grid-cols-2">
    <ChoiceField
      label="Which of those that fit"
      options={preferences}
      value={form.prefer}
      onChange={(next) => onChange({ prefer: preferences.find(({ value }) => value === next)?.value ?? 'any' })}
    />
    {form.prefer !== 'any' && (
      <TextField
        label="Of which metadata"
        about="Such as rack: from as many racks, or as few, as possible."
        list="claim-labels"
        autoComplete="off"
        value={form.preferKey}
        mistake={form.preferKey === '' ? 'Name the metadata' : null}
        onChange={({ target }) => onChange({ preferKey: target.value })}
      />
    )}
  </div>
);

const Outcome = ({
  nodes,
  place,
  project,
}: {
  readonly nodes: readonly string[];
  readonly place: number | null;
  readonly project: string;
}) => (
  <p role="status" className="break-words text-ok">
    {place === null ? (
      <>
        Project {project} has {nodes.join(', ')} now.{' '}
        <Link to="/nodes" search={{ project }} className="text-accent underline">
          Its nodes
        </Link>
      </>
    ) : (
      `It waits in line, at place ${place}.`
    )}
  </p>
);
