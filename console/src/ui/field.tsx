import { type ComponentPropsWithRef, type ReactNode, useId } from 'react';

const inputLook =
  'h-8 w-full rounded-control border border-line bg-panel px-2.5 placeholder:text-dim aria-invalid:border-bad';

interface FieldProps {
  readonly label: string;
  readonly about?: ReactNode;
  /** The refusal that this field caused. */
  readonly error?: string | null | undefined;
}

/** What names a control and describes it. */
interface ControlNames {
  readonly id: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string;
}

/** A control with its name above and its refusal below. */
const Field = ({
  label,
  about,
  error,
  children,
}: FieldProps & { readonly children: (names: ControlNames) => ReactNode }) => {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({ id, 'aria-invalid': Boolean(error) || undefined, 'aria-describedby': `${id}-about` })}
      <FieldNote id={`${id}-about`} about={about} error={error} />
    </div>
  );
};

/** A field for a line of text. */
export const TextField = ({ label, about, error, ...input }: FieldProps & ComponentPropsWithRef<'input'>) => (
  <Field label={label} about={about} error={error}>
    {(names) => <input className={inputLook} {...names} {...input} />}
  </Field>
);

/** The same for one of a few values. */
export const SelectField = ({ label, about, error, ...select }: FieldProps & ComponentPropsWithRef<'select'>) => (
  <Field label={label} about={about} error={error}>
    {(names) => <select className={inputLook} {...names} {...select} />}
  </Field>
);

/** The same for several lines, such as a key. */
export const TextAreaField = ({
  label,
  about,
  error,
  isSecret = false,
  ...input
}: FieldProps & { readonly isSecret?: boolean } & ComponentPropsWithRef<'textarea'>) => (
  <Field label={label} about={about} error={error}>
    {(names) => (
      <textarea
        className={`w-full rounded-control border border-line bg-panel px-2.5 py-1.5 font-mono text-fine placeholder:text-dim aria-invalid:border-bad ${isSecret ? '[-webkit-text-security:disc]' : ''}`}
        spellCheck={false}
        autoComplete="off"
        {...names}
        {...input}
      />
    )}
  </Field>
);

/** The same for yes or no, with its name beside. */
export const CheckField = ({ label, about, error, ...input }: FieldProps & ComponentPropsWithRef<'input'>) => {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="flex items-center gap-2 font-medium">
        <input id={id} type="checkbox" aria-describedby={`${id}-about`} {...input} />
        {label}
      </label>
      <FieldNote id={`${id}-about`} about={about} error={error} />
    </div>
  );
};

const FieldNote = ({ id, about, error }: Pick<FieldProps, 'about' | 'error'> & { readonly id: string }) => (
  <p id={id} className={`text-fine ${error ? 'text-bad' : 'text-dim'}`} role={error ? 'alert' : undefined}>
    {error ?? about}
  </p>
);
