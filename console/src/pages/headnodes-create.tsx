import { DuplicateError } from '@corral/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { allHeadnodes, headnodeImages } from '../api/queries.ts';
import { onlyOne } from '../ui/choice-field.tsx';
import { Button } from '../ui/button.tsx';
import { Command } from '../ui/command.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { nameLack, nameMistake } from '../ui/name-rule.ts';
import { ProjectField } from '../ui/project-field.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { sentenceOf } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';

interface CreateProps {
  readonly projects: readonly string[];
  readonly onClose: () => void;
}

/** Creates a headnode for a project, from an image that is installed. */
export const CreateHeadnode = ({ projects, onClose }: CreateProps) => (
  <Dialog title="Create a headnode" isOpen onClose={onClose}>
    <Loaded query={useQuery(headnodeImages)} rows={3}>
      {(images) => <Fields projects={projects} images={images} onClose={onClose} />}
    </Loaded>
  </Dialog>
);

const Fields = ({ projects, images, onClose }: CreateProps & { readonly images: readonly string[] }) => {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [headnode, setName] = useState('');
  const [chosenProject, setProject] = useState<string | null>(null);
  const [chosenImage, setImage] = useState<string | null>(null);
  const project = chosenProject ?? onlyOne(projects);
  const image = chosenImage ?? images[0] ?? '';
  const create = useAction({
    mutationFn: () => corral.headnodeCreate({ headnode, project, base_img: image }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: allHeadnodes.queryKey });
      onClose();
      await navigate({ to: '/headnodes/$headnode', params: { headnode } });
    },
  });
  const field = create.error === null ? null : fieldOf(create.error);
  const refusalOf = (one: Field): string | null =>
    create.error !== null && field === one ? sentenceOf(create.error) : null;
  const unless = nameLack('headnode', headnode) ?? (project === '' ? 'Choose a project first' : null);
  return (
    <form
      className="grid gap-3"
      onChange={create.forget}
      onSubmit={(event) => {
        event.preventDefault();
        if (unless === null) create.start();
      }}
    >
      <TextField
        label="Name"
        autoFocus
        required
        autoComplete="off"
        value={headnode}
        onChange={(event) => setName(event.target.value)}
        error={refusalOf('name')}
        mistake={nameMistake('headnode', headnode)}
      />
      <ProjectField projects={projects} value={project} onChange={setProject} error={refusalOf('project')} />
      <SelectField
        label="Image"
        about="What its disk is a copy of. The machine is made when the headnode is started."
        value={image}
        onChange={(event) => setImage(event.target.value)}
        error={refusalOf('image')}
      >
        {images.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </SelectField>
      <Button type="submit" look="primary" isBusy={create.isPending} className="justify-self-start" unless={unless}>
        {headnode === '' ? 'Create the headnode' : <span className="max-w-64 truncate">Create {headnode}</span>}
      </Button>
      <Command text={commandOf('headnode', 'create', headnode || 'HEADNODE', project || 'PROJECT', image)} />
    </form>
  );
};

type Field = 'name' | 'project' | 'image';

/** Which field the service refused; what is about none of them stands below the last. */
const fieldOf = (error: Error): Field => {
  if (error instanceof DuplicateError || error.message.includes('"headnode"')) return 'name';
  return error.message.startsWith('project ') || error.message.includes('"project"') ? 'project' : 'image';
};
