import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { submitting } from '../../ui/submitting.ts'

interface Props {
  readonly org: string
  /** Whether this organization was looked for, and has no provider. */
  readonly isMissing: boolean
  readonly onChoose: (org: string) => void
}

/** Which organization's identity providers to offer. */
export function OrganizationForm({ org, isMissing, onChoose }: Props) {
  const [value, setValue] = useState(org)
  return (
    <form className="flex flex-col gap-3" onSubmit={submitting(() => onChoose(value.trim()))}>
      <TextField
        label="Organization"
        name="organization"
        autoComplete="organization"
        autoFocus
        required
        maxLength={255}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        error={isMissing ? 'Nobody can sign in to this organization with an identity provider.' : undefined}
      />
      <Button type="submit" look="primary">
        Continue
      </Button>
    </form>
  )
}
