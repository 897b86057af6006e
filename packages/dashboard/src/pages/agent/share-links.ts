import type { AgentId, CatalogDocument, Resource } from '@skein/client'
import { choicesOf } from '../../ui/field.tsx'

/** A link to this agent, from the catalog, without its key. */
export interface ShareLink {
  readonly name: string
  readonly generation: string
  readonly description: string
  /** Empty means never. */
  readonly expireTime: string
  readonly isRevoked: boolean
}

/** In days. */
export const LIFETIMES = choicesOf({ 1: '1 day', 7: '7 days', 30: '30 days', never: 'never expires' })

export function toShareLinkDocument(
  { workspace, agent, account, ownerProvider }: AgentId,
  { description, days }: { readonly description: string; readonly days: string },
  nowMs: number,
): CatalogDocument {
  return {
    workspace,
    agent: [...agent],
    account,
    ownerProvider,
    ...(description.trim() !== '' && { description: description.trim() }),
    ...(days !== 'never' && { expireTime: new Date(nowMs + Number(days) * 86_400_000).toISOString() }),
  }
}

/** Undefined for a link to another agent. */
export function readShareLink(
  { name, generation, document }: Resource,
  agentId: AgentId,
): ShareLink | undefined {
  const { workspace, agent, account, ownerProvider, description, expireTime, revoked } = document
  const isOfAgent =
    workspace === agentId.workspace &&
    account === agentId.account &&
    ownerProvider === agentId.ownerProvider &&
    Array.isArray(agent) &&
    agent.join('/') === agentId.agent.join('/')
  if (!isOfAgent) return undefined
  return {
    name,
    generation,
    description: typeof description === 'string' ? description : '',
    expireTime: typeof expireTime === 'string' ? expireTime : '',
    isRevoked: revoked === true,
  }
}

/** The key is in the fragment, which browsers never send to a server. */
export function shareAddress(origin: string, key: string): string {
  return `${origin}/share#${key}`
}

/** A free, descriptive name. */
export function shareLinkName({ agent }: AgentId, random: string): string {
  return `${agent.at(-1)?.slice(0, 40) ?? 'agent'}-${random}`
}

export function isOver({ expireTime, isRevoked }: ShareLink, nowMs: number): boolean {
  return isRevoked || (expireTime !== '' && Date.parse(expireTime) <= nowMs)
}
