import type { AgentId } from '@skein/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { agentKey } from '../../../format/agent-link.ts'
import { makeRandomId } from '../../../format/random-id.ts'
import { skein } from '../../../session/skein.ts'
import { useIdentity } from '../../../session/identity.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/copy-button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { ErrorNotice, Notice } from '../../../ui/notice.tsx'
import {
  LIFETIMES,
  readShareLink,
  shareAddress,
  shareLinkName,
  toShareLinkDocument,
  type ShareLink,
} from '../share-links.ts'
import { ShareLinkList } from './share-link-list.tsx'

/** Creates and revokes links to the agent for people without an account. */
export function ShareDialog({
  agentId,
  onClose,
}: {
  readonly agentId: AgentId
  readonly onClose: () => void
}) {
  const queries = useQueryClient()
  const queryKey = ['share-links', agentKey(agentId)]
  const links = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const found: ShareLink[] = []
      for await (const resource of skein.catalog.list('share-link', { signal })) {
        const link = readShareLink(resource, agentId)
        if (link !== undefined) found.push(link)
      }
      return found
    },
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Share this agent"
      description="Anyone with the link can watch this agent without an account (read-only)."
    >
      <NewLink agentId={agentId} onMade={() => void queries.invalidateQueries({ queryKey })} />
      {links.isError && <ErrorNotice error={links.error} />}
      {links.data !== undefined && links.data.length > 0 && (
        <ShareLinkList links={links.data} onChange={() => void queries.invalidateQueries({ queryKey })} />
      )}
    </Dialog>
  )
}

function NewLink({ agentId, onMade }: { readonly agentId: AgentId; readonly onMade: () => void }) {
  const { mustJustify } = useIdentity()
  const [days, setDays] = useState('7')
  const [description, setDescription] = useState('')
  const make = useMutation({
    mutationFn: async () => {
      const name = shareLinkName(agentId, makeRandomId().slice(0, 8))
      const written = toShareLinkDocument(agentId, { description, days }, Date.now())
      const justification = mustJustify ? 'Shared from the dashboard.' : undefined
      const { document } = await skein.catalog.put('share-link', name, written, {
        ifGeneration: 0,
        justification,
      })
      return shareAddress(window.location.origin, String(document['key']))
    },
    onSuccess: onMade,
  })
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    make.mutate()
  }
  if (make.data !== undefined) {
    return (
      <div className="flex flex-col gap-2">
        <Notice tone="success">Copy the link now: it is not shown again.</Notice>
        <CodeBlock text={make.data} label="Share link" />
      </div>
    )
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="Description"
        placeholder="For the customer"
        maxLength={200}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <div className="flex items-end gap-2">
        <div className="flex-1">
          <SelectField
            label="Expires after"
            choices={LIFETIMES}
            value={days}
            onChange={({ target }) => setDays(target.value)}
          />
        </div>
        <Button type="submit" look="primary" isBusy={make.isPending}>
          Create link
        </Button>
      </div>
      {make.isError && <ErrorNotice error={make.error} />}
    </form>
  )
}
