import type { InvitationEntry } from '@skein/contract'
import { InvitationStore } from '@skein/store'
import { decodePageToken, encodePageToken, pageSizeOf, splitPage, TIME_AND_ID, type Page } from '../paging.ts'
import type { EngineResources } from '../resources.ts'
import { toInvitation } from './to-invitation.ts'

const LIST = 'invitations'

/** Newest first. */
export async function listInvitations(
  { database, clock }: EngineResources,
  tenantId: string,
  page: Page,
): Promise<{ invitations: InvitationEntry[]; nextPageToken: string }> {
  const [createdAt, id] = decodePageToken(LIST, page, TIME_AND_ID) ?? []
  const before =
    createdAt === undefined || id === undefined ? undefined : { createdAt: Number(createdAt), id }
  const pageSize = pageSizeOf(page)
  const records = await database.forTenant(tenantId, (transaction) =>
    new InvitationStore(transaction).listBefore(before, pageSize + 1),
  )
  const { shown, last } = splitPage(records, pageSize)
  return {
    invitations: shown.map((record) => toInvitation(record, clock.now())),
    nextPageToken: last === undefined ? '' : encodePageToken(LIST, [String(last.createdAt), last.id]),
  }
}
