import type { Resource } from '@skein/client'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/field.tsx'
import { submitting } from '../../../ui/submitting.ts'
import { checkName } from '../../../catalog/resource-name.ts'

/** Asks for a name, then opens that page with a template. */
export function CreateResourceDialog({
  kind,
  taken,
  isOpen,
  onClose,
}: {
  readonly kind: string
  readonly taken: readonly Resource[]
  readonly isOpen: boolean
  readonly onClose: () => void
}) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const problem = checkName(name.trim(), taken)
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={`New ${kind}`}
      description="Nothing is saved until you confirm."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={submitting(() => {
          setIsChecked(true)
          if (problem === undefined)
            void navigate({ to: '/catalog/$kind/$name', params: { kind, name: name.trim() } })
        })}
      >
        <TextField
          label="Name"
          hint="It cannot be changed later."
          error={isChecked ? problem : undefined}
          autoComplete="off"
          spellCheck={false}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit">
            Continue
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
