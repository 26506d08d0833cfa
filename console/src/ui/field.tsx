import { type ComponentPropsWithRef, type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { formWords } from './form-words.ts';

const inputLook =
  'h-8 w-full rounded-control border border-line bg-panel px-2.5 placeholder:text-dim aria-invalid:border-bad';

interface FieldProps {
  readonly label: string;
  readonly about?: ReactNode;
  /** The refusal that this field caused. */
  readonly error?: string | null | undefined;
  /** What is wrong with what is in it. Who is still typing does not read it. */
  readonly mistake?: string | null | undefined;
  /** Whether it has to be filled in, such as `required`; it stands beside the name. */
  readonly need?: string | undefined;
}

/** What names a control and describes it. */
interface ControlNames {
  readonly id: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string;
  readonly 'aria-required': true | undefined;
  readonly onBlur: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** A control with its name above and its refusal below. */
const Field = ({
  label,
  about,
  error,
  mistake,
  need,
  children,
}: FieldProps & { readonly children: (names: ControlNames) => ReactNode }) => {
  const id = useId();
  const [isTyped, setTyped] = useState(false);
  const shown = error ?? (isTyped ? mistake : null);
  return (
    <div className="grid gap-1">
      <div className="flex flex-wrap items-baseline gap-x-1.5">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {need !== undefined && <span className="text-fine text-dim">{need}</span>}
      </div>
      {children({
        id,
        'aria-invalid': Boolean(shown) || undefined,
        'aria-describedby': `${id}-about`,
        'aria-required': need === 'required' || undefined,
        onBlur: () => setTyped(true),
        onKeyDown: ({ key }) => {
          if (key === 'Enter') setTyped(true);
        },
      })}
      <FieldNote id={`${id}-about`} about={about} error={shown} />
    </div>
  );
};

/** A field for a line of text. */
export const TextField = ({
  label,
  about,
  error,
  mistake,
  need,
  ...input
}: FieldProps & ComponentPropsWithRef<'input'>) => (
  <Field label={label} about={about} error={error} mistake={mistake} need={need}>
    {(names) => <input className={inputLook} {...names} {...input} />}
  </Field>
);

/** The same for one of a few values. */
export const SelectField = ({
  label,
  about,
  error,
  mistake,
  need,
  ...select
}: FieldProps & ComponentPropsWithRef<'select'>) => (
  <Field label={label} about={about} error={error} mistake={mistake} need={need}>
    {(names) => <select className={inputLook} {...names} {...select} />}
  </Field>
);

/** The same for several lines, such as a key. */
export const TextAreaField = ({
  label,
  about,
  error,
  mistake,
  need,
  isSecret = false,
  ...input
}: FieldProps & { readonly isSecret?: boolean } & ComponentPropsWithRef<'textarea'>) => (
  <Field label={label} about={about} error={error} mistake={mistake} need={need}>
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
export const CheckField = ({
  label,
  about,
  error,
  ...input
}: Omit<FieldProps, 'mistake' | 'need'> & ComponentPropsWithRef<'input'>) => {
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
    {error ? formWords(error) : about}
  </p>
);
