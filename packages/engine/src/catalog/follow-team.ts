import { teamMembers, type Document, type ResourceRef } from '@skein/core'
import { TeamStore, type Transaction } from '@skein/store'
import type { EngineResources } from '../resources.ts'

/** What a document says about teams, written where requests look for it, in the same transaction. */
export async function divideBy(
  transaction: Transaction,
  { kind, name }: ResourceRef,
  document: Document,
): Promise<void> {
  const teams = new TeamStore(transaction)
  if (kind === 'team') await teams.setMembers(name, teamMembers(document))
  // A workspace that never had a team has no row to remove, but only the database knows.
  if (kind === 'workspace') await teams.assign(name, String(document['team'] ?? ''))
}

/** A deleted workspace keeps its team, because it still has agents that have ended. */
export async function divideWithout(transaction: Transaction, { kind, name }: ResourceRef): Promise<void> {
  if (kind === 'team') await new TeamStore(transaction).setMembers(name, [])
}

/** After the commit. */
export function forgetDivision({ teams }: EngineResources, tenantId: string, { kind }: ResourceRef): void {
  if (kind === 'team' || kind === 'workspace') teams.forget(tenantId)
}
