import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { submitting } from '../../ui/submitting.ts'

interface Props {
  readonly isBusy: boolean
  readonly onSubmit: (apiKey: string) => void
}

export function KeyForm({ isBusy, onSubmit }: Props) {
  const [value, setValue] = useState('')
  return (
    <form className="flex flex-col gap-5" onSubmit={submitting(() => onSubmit(value.trim()))}>
      <TextField
        label="API key"
        name="apiKey"
        type="password"
        autoComplete="off"
        required
        autoFocus
        placeholder="skn_…"
        value={value}
        onChange={(event) => setValue(event.target.value)}
        hint={
          <>
            From <code>skein token create</code>, or printed by <code>skein dev</code>. It is exchanged for a
            session and not kept in this browser.
          </>
        }
      />
      <Button type="submit" look="primary" isBusy={isBusy}>
        Sign in
      </Button>
    </form>
  )
}
