import { type ComponentPropsWithRef, type ReactNode, useId } from 'react';

const inputLook =
  'h-8 w-full rounded-control border border-line bg-panel px-2.5 placeholder:text-dim aria-invalid:border-bad';

interface FieldProps {
  readonly label: string;
  readonly about?: ReactNode;
  /** The refusal that this field caused. */
  readonly error?: string | null | undefined;
}

/** A field with its name above and its refusal below. */
export const TextField = ({ label, about, error, ...input }: FieldProps & ComponentPropsWithRef<'input'>) => {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <input
        id={id}
        className={inputLook}
        aria-invalid={Boolean(error) || undefined}
        aria-describedby={`${id}-about`}
        {...input}
      />
      <FieldNote id={`${id}-about`} about={about} error={error} />
    </div>
  );
};

/** The same for one of a few values. */
export const SelectField = ({
  label,
  about,
  error,
  children,
  ...select
}: FieldProps & ComponentPropsWithRef<'select'>) => {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <select
        id={id}
        className={inputLook}
        aria-invalid={Boolean(error) || undefined}
        aria-describedby={`${id}-about`}
        {...select}
      >
        {children}
      </select>
      <FieldNote id={`${id}-about`} about={about} error={error} />
    </div>
  );
};

/** The same for several lines, such as a key. */
export const TextAreaField = ({
  label,
  about,
  error,
  isSecret = false,
  ...input
}: FieldProps & { readonly isSecret?: boolean } & ComponentPropsWithRef<'textarea'>) => {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <textarea
        id={id}
        className={`w-full rounded-control border border-line bg-panel px-2.5 py-1.5 font-mono text-fine placeholder:text-dim aria-invalid:border-bad ${isSecret ? '[-webkit-text-security:disc]' : ''}`}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={Boolean(error) || undefined}
        aria-describedby={`${id}-about`}
        {...input}
      />
      <FieldNote id={`${id}-about`} about={about} error={error} />
    </div>
  );
};

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
