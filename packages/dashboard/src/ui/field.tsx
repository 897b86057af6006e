import { useId, type ComponentProps, type ReactNode } from 'react'
import { classNames } from './class-names.ts'

const CONTROL = classNames(
  'w-full rounded-md border border-line-strong/60 bg-surface px-3 text-sm text-ink placeholder:text-muted',
  'aria-invalid:border-failed disabled:opacity-60',
)

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  /** For screen readers only, if something visible already labels the field. */
  readonly isLabelHidden?: boolean | undefined
}

interface Described extends FieldProps {
  readonly children: (props: {
    readonly id: string
    readonly 'aria-describedby': string | undefined
    readonly 'aria-invalid': true | undefined
  }) => ReactNode
}

function Field({ label, hint, error, isLabelHidden = false, children }: Described) {
  const id = useId()
  const hasError = error !== undefined && error !== ''
  const describedBy = [hint !== undefined && `${id}-hint`, hasError && `${id}-error`].filter(
    (part) => part !== false,
  )
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-sm font-medium'}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': describedBy.length > 0 ? describedBy.join(' ') : undefined,
        'aria-invalid': hasError ? true : undefined,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {hasError && (
        <p id={`${id}-error`} role="alert" className="text-xs font-medium text-failed">
          {error}
        </p>
      )}
    </div>
  )
}

/** What the field needs, and what its control does. */
function split<Props extends FieldProps>({ label, hint, error, isLabelHidden, ...control }: Props) {
  return { field: { label, hint, error, isLabelHidden }, control }
}

export function TextField(props: FieldProps & ComponentProps<'input'>) {
  const { field, control } = split(props)
  return (
    <Field {...field}>
      {(wiring) => (
        <input {...control} {...wiring} className={classNames(CONTROL, 'h-9', control.className)} />
      )}
    </Field>
  )
}

export function TextArea(props: FieldProps & ComponentProps<'textarea'>) {
  const { field, control } = split(props)
  return (
    <Field {...field}>
      {(wiring) => (
        <textarea
          rows={4}
          {...control}
          {...wiring}
          className={classNames(CONTROL, 'py-2', control.className)}
        />
      )}
    </Field>
  )
}

export interface Choice {
  readonly value: string
  readonly label: string
}

/** Choices from their labels by value. Numbers come first, in order. */
export function choicesOf(labels: Readonly<Record<string, string>>): readonly Choice[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }))
}

export function SelectField({
  choices,
  ...props
}: FieldProps & ComponentProps<'select'> & { readonly choices: readonly Choice[] }) {
  const { field, control } = split(props)
  return (
    <Field {...field}>
      {(wiring) => (
        <select {...control} {...wiring} className={classNames(CONTROL, 'h-9 pr-8', control.className)}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function CheckField({
  label,
  hint,
  className,
  ...rest
}: { readonly label: string; readonly hint?: string } & ComponentProps<'input'>) {
  const id = useId()
  return (
    <div className={classNames('flex items-start gap-2', className)}>
      <input
        {...rest}
        id={id}
        type="checkbox"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-0.5 size-4 accent-accent"
      />
      <div>
        <label htmlFor={id} className="text-sm">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-xs text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
