import { formatTimestamp, trigger as triggerKind, type TriggerEntry } from '@skein/contract'
import type { Viewer } from '@skein/core'
import { TriggerDeliveryStore } from '@skein/store'
import { listSeen } from '../../catalog/seen-resources.ts'
import { decodePageToken, encodePageToken, pageSizeOf, splitPage, type Page } from '../../paging.ts'
import type { EngineResources } from '../../resources.ts'
import { parseTrigger } from './find-trigger.ts'
import { describeDelivery, seenDelivery } from './read-deliveries.ts'

const LIST = 'triggers'
const HOURS_SHOWN_MS = 24 * 60 * 60 * 1000

/** The triggers of a tenant by name, with the state of each. */
export function listTriggers(
  { database, clock }: EngineResources,
  viewer: Viewer,
  tenantId: string,
  page: Page,
): Promise<{ triggers: TriggerEntry[]; nextPageToken: string }> {
  const [after = ''] = decodePageToken(LIST, page, /^[a-z0-9-]+$/) ?? []
  const pageSize = pageSizeOf(page)
  return database.forTenant(tenantId, async (transaction) => {
    const records = await listSeen(transaction, viewer, triggerKind, { after, limit: pageSize + 1 })
    const { shown, last: lastShown } = splitPage(records, pageSize)
    const names = shown.map(({ name }) => name)
    const deliveries = new TriggerDeliveryStore(transaction)
    const latest = await deliveries.latest(names)
    const pending = await deliveries.pending(names)
    const hours = await deliveries.hours(names, clock.now() - HOURS_SHOWN_MS)
    const triggers = shown.map(({ name, document }): TriggerEntry => {
      const trigger = document && parseTrigger(name, document)
      const last = seenDelivery(viewer, latest.get(name))
      return {
        name,
        description: trigger?.description ?? '',
        sender: trigger?.verification.type ?? '',
        workspace: trigger?.workspace ?? '',
        profile: trigger?.profile ?? '',
        paused: trigger?.paused ?? false,
        pending: pending.get(name) ?? 0,
        last: last ? [describeDelivery(last)] : [],
        hours: (hours.get(name) ?? []).map(({ hour, attempts, failures }) => ({
          time: formatTimestamp(hour),
          attempts,
          failures,
        })),
      }
    })
    return {
      triggers,
      nextPageToken: lastShown === undefined ? '' : encodePageToken(LIST, [lastShown.name]),
    }
  })
}
