import { INVITATION_ROLES } from '@skein/contract/facts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { resourcesQuery } from '../../catalog/catalog-queries.ts'
import { JustificationField, useLacksReason, useMustJustify } from '../../catalog/justification-field.tsx'
import { SecretDialog } from '../../catalog/secret-dialog.tsx'
import { useIdentity } from '../../session/identity.ts'
import { queries } from '../../session/queries.ts'
import { skein } from '../../session/skein.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { invitationsQuery } from './invitation-queries.ts'

/** Creates a link for one person, and shows it once. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const { grantableRoles } = useIdentity()
  const teams = useQuery(resourcesQuery('team'))
  const [role, setRole] = useState<(typeof INVITATION_ROLES)[number]>('member')
  const [team, setTeam] = useState('')
  const [description, setDescription] = useState('')
  const [email, setEmail] = useState('')
  const [justification, setJustification] = useState('')
  const lacksReason = useLacksReason(justification)
  const mustJustify = useMustJustify()
  const invite = useMutation({
    mutationFn: () =>
      skein.invite(
        { role, team, description: description.trim(), email: email.trim() },
        { justification: justification.trim() || undefined },
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: invitationsQuery.queryKey }),
  })
  if (invite.isSuccess) {
    return (
      <SecretDialog
        title={
          invite.data.invitation.email === ''
            ? 'Send this link to one person'
            : `The link is on its way to ${invite.data.invitation.email}`
        }
        secrets={{ link: invite.data.url }}
        onClose={onClose}
      />
    )
  }
  const roles = INVITATION_ROLES.filter((known) => grantableRoles.includes(known))
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Invite a person"
      description="The link works once, for 7 days. The person chooses the name of their account."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (!invite.isPending) invite.mutate()
        }}
      >
        <TextField
          label="Who it is for"
          hint="Only admins see this."
          autoComplete="off"
          maxLength={200}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
        <TextField
          label="E-mail address (optional)"
          hint="Skein sends the link there, if this installation sends e-mail."
          type="email"
          autoComplete="off"
          maxLength={254}
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Role"
            choices={roles.map((value) => ({ value, label: value }))}
            value={role}
            onChange={({ target }) => setRole(roles.find((known) => known === target.value) ?? 'member')}
          />
          <SelectField
            label="Team"
            choices={[
              { value: '', label: 'none' },
              ...(teams.data ?? []).map(({ name }) => ({ value: name, label: name })),
            ]}
            value={team}
            onChange={({ target }) => setTeam(target.value)}
          />
        </div>
        {mustJustify && <JustificationField value={justification} onChange={setJustification} />}
        {invite.isError && <ErrorNotice error={invite.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={invite.isPending} disabled={lacksReason}>
            Create the link
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
