import type { AgentIdInput } from '@skein/contract'
import type { Caller } from '@skein/core'
import { findTarget, type AgentTarget, type CommandContext, type EngineResources } from '@skein/engine'

interface AgentInput {
  readonly engine: EngineResources
  readonly caller: Caller
  readonly body: { readonly agentId: AgentIdInput }
  commandFor(tenantId: string): CommandContext
}

/** The agent a request names. */
export function targetOf({ engine, caller, body }: Omit<AgentInput, 'commandFor'>): Promise<AgentTarget> {
  return findTarget(engine, caller, body.agentId)
}

/** The agent a command is for, with the command's context. */
export async function commandOn(input: AgentInput): Promise<[CommandContext, AgentTarget]> {
  const target = await targetOf(input)
  return [input.commandFor(target.tenantId), target]
}
