import { useIdentity } from '../session/identity.ts'
import { TextField } from '../ui/field.tsx'

/** Operators must explain each write, so that the tenant can read why. For others it is optional. */
export function JustificationField({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const isRequired = useMustJustify()
  return (
    <TextField
      label={isRequired ? 'Why' : 'Why (optional)'}
      hint={
        isRequired
          ? 'Required for operators. Goes into the history and the audit log.'
          : 'Goes into the history and the audit log.'
      }
      required={isRequired}
      autoComplete="off"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

/** Whether a write would be rejected for lack of a reason. */
export function useLacksReason(justification: string): boolean {
  return useMustJustify() && justification.trim() === ''
}

export function useMustJustify(): boolean {
  return useIdentity().mustJustify
}
