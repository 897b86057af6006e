import type { Tenant } from '@skein/contract'
import { providerName } from '@skein/contract/facts'

/** What one cell knows of a tenant (docs/adr/0074). */
interface TenantInCell {
  readonly id: string
  /** Of its last move out of this cell, or into it. In the order of time. */
  readonly moveId: string | undefined
  readonly step: string | undefined
  /** The other cell of that move. */
  readonly cell: string | undefined
}

/**
 * Whether a tenant that has left for another cell was activated in the cell `to`: only then may what it left behind be
 * removed. It may have gone on from there, or be about to.
 */
export function hasArrived(there: TenantInCell, left: TenantInCell, to: string): boolean {
  // A tenant comes into a cell as one that arrives, and only its activation ends that.
  if (left.step !== 'moved' || there.id !== left.id || there.step === 'arriving') return false
  // It was to leave that cell too, and that was cancelled.
  if (there.moveId === undefined) return left.cell === to
  // An earlier move has left that one: it is from there that the tenant came here.
  return left.moveId !== undefined && there.moveId >= left.moveId
}

/** As the load balancer writes the tenant of a path: a line of its map cannot have a space in the middle. */
export function mapKeyOfTenant({ provider, org }: Tenant): string {
  const encoded = encodeURIComponent(org).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${providerName(provider)}:${encoded}`
}
