import type { InvitationEntry } from '@skein/client'
import { queryOptions } from '@tanstack/react-query'
import { skein } from '../../session/skein.ts'

/** As many as fit on a page without searching. */
const SHOWN = 100

export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: async ({ signal }) => {
    const found: InvitationEntry[] = []
    for await (const invitation of skein.invitations({ signal })) {
      found.push(invitation)
      if (found.length === SHOWN) break
    }
    return found
  },
})
