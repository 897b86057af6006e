import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type ChangeEvent } from 'react'
import { useIdentity } from '../../session/identity.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { findViolation, readFieldViolations, type FieldViolations } from '../../ui/field-violations.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { submitting } from '../../ui/submitting.ts'
import { resourcesQuery } from '../../catalog/catalog-queries.ts'
import { JustificationField, useLacksReason, useMustJustify } from '../../catalog/justification-field.tsx'
import type { NewKey } from './new-key-dialog.tsx'
import { checkName } from '../../catalog/resource-name.ts'
import { checkTokenForm, toTokenDocument, type TokenForm } from './token-form.ts'
import { createToken, refreshToken } from './token-writes.ts'

const ROLES: Readonly<Record<string, string>> = {
  viewer: 'viewer: looks',
  member: 'member: drives agents',
  admin: 'admin: writes the catalog too',
  runner: 'runner: executes runs',
  operator: 'operator: works across tenants',
}

export function CreateTokenDialog({
  taken,
  onClose,
  onCreated,
}: {
  readonly taken: readonly { readonly name: string }[]
  readonly onClose: () => void
  readonly onCreated: (key: NewKey) => void
}) {
  const identity = useIdentity()
  const pools = useQuery(resourcesQuery('pool'))
  const mustJustify = useMustJustify()
  const [form, setForm] = useState<TokenForm>({
    name: '',
    role: 'member',
    account: identity.account,
    description: '',
    expiresInDays: '90',
    pools: ['default'],
  })
  const [justification, setJustification] = useState('')
  const lacksReason = useLacksReason(justification)
  const [isChecked, setIsChecked] = useState(false)
  const create = useMutation({
    mutationFn: () => createToken(form.name, toTokenDocument(form, Date.now()), { justification }),
    onSuccess: async (key) => {
      onCreated({ token: form.name, key })
      await refreshToken(form.name)
    },
  })
  const change = (part: Partial<TokenForm>): void => setForm({ ...form, ...part })
  const nameProblem = checkName(form.name, taken)
  const ownProblems = { ...checkTokenForm(form), ...(nameProblem !== undefined && { name: nameProblem }) }
  const problems: FieldViolations = { ...readFieldViolations(create.error), ...(isChecked && ownProblems) }
  const bind = (field: 'name' | 'account' | 'description', trim = (text: string) => text) => ({
    error: findViolation(problems, field),
    autoComplete: 'off',
    value: form[field],
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => change({ [field]: trim(target.value) }),
  })
  const poolsProblem = findViolation(problems, 'pools')
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="New token"
      description="The key is shown only once, right after creation."
    >
      <form
        className="flex flex-col gap-4"
        noValidate
        onSubmit={submitting(() => {
          setIsChecked(true)
          if (Object.keys(ownProblems).length === 0 && !create.isPending) create.mutate()
        })}
      >
        <TextField label="Name" spellCheck={false} {...bind('name', (text) => text.trim())} />
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Role"
            error={findViolation(problems, 'role')}
            choices={identity.grantableRoles.map((role) => ({
              value: role,
              label: ROLES[role] ?? role,
            }))}
            value={form.role}
            onChange={({ target }) => change({ role: target.value })}
          />
          <TextField label="Account" hint="The account the key acts as." {...bind('account')} />
        </div>
        {form.role === 'runner' && (
          <fieldset className="flex flex-col gap-2">
            <legend className="mb-1 text-sm font-medium">Pools</legend>
            {pools.data?.map(({ name }) => (
              <CheckField
                key={name}
                label={name}
                checked={form.pools.includes(name)}
                onChange={({ target }) =>
                  change({
                    pools: target.checked
                      ? [...form.pools, name]
                      : form.pools.filter((pool) => pool !== name),
                  })
                }
              />
            ))}
            {poolsProblem !== undefined && (
              <p role="alert" className="text-xs font-medium text-failed">
                {poolsProblem}
              </p>
            )}
          </fieldset>
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Expires after (days)"
            hint="Empty: never."
            error={findViolation(problems, 'expireTime')}
            inputMode="numeric"
            autoComplete="off"
            value={form.expiresInDays}
            onChange={({ target }) => change({ expiresInDays: target.value.trim() })}
          />
          <TextField label="Description" {...bind('description')} />
        </div>
        {mustJustify && <JustificationField value={justification} onChange={setJustification} />}
        {create.isError && <ErrorNotice error={create.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={create.isPending} disabled={lacksReason}>
            Create token
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
