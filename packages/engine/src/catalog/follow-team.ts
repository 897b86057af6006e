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
  const { team } = document
  if (kind === 'workspace') await teams.assign(name, typeof team === 'string' ? team : '')
}

/** A deleted workspace keeps its team, because it still has agents that have ended. */
export async function divideWithout(transaction: Transaction, { kind, name }: ResourceRef): Promise<void> {
  if (kind === 'team') await new TeamStore(transaction).setMembers(name, [])
}

/** After the commit. */
export function forgetDivision({ teams }: EngineResources, tenantId: string, { kind }: ResourceRef): void {
  if (kind === 'team' || kind === 'workspace') teams.forget(tenantId)
}
