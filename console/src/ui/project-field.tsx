import { ChoiceField } from './choice-field.tsx';

interface ProjectFieldProps {
  readonly projects: readonly string[];
  /** Empty: none yet. */
  readonly value: string;
  readonly error?: string | null;
  readonly onChange: (project: string) => void;
}

/** For which project something is done. None is chosen before the person does, unless there is only one. */
export const ProjectField = ({ projects, value, error = null, onChange }: ProjectFieldProps) => (
  <ChoiceField label="For project" options={projects} value={value} error={error} onChange={onChange} />
);
