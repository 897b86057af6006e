import type { QueueFollowUpRequest, SpawnAgentRequest, Task } from '@skein/contract'
import { personaTasks, resolveOverride, type AgentState, type SettingsOverride } from '@skein/core'
import type { Transaction } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { CatalogView } from './catalog-view.ts'

type Wanted = Pick<
  QueueFollowUpRequest & SpawnAgentRequest,
  'agent' | 'model' | 'reasoningEffort' | 'serviceTier' | 'fastMode' | 'outputSchema'
>

export interface SettingsChange {
  readonly override: SettingsOverride
  /** Of the persona that is switched to. */
  readonly personaTasks?: readonly Task[]
}

/** What a request changes about an agent. Most change nothing, and then the catalog is not read at all. */
export async function resolveChange(
  transaction: Transaction,
  agent: AgentState,
  { agent: personaName = '', fastMode, ...wanted }: Wanted,
  outputSchemaProblem: string | undefined,
): Promise<SettingsChange> {
  const { model = '', reasoningEffort = '', serviceTier = '', outputSchema = '' } = wanted
  const texts = [personaName, model, reasoningEffort, serviceTier, outputSchema]
  if (texts.every((text) => text === '') && fastMode === undefined) return { override: {} }
  const catalog = new CatalogView(transaction)
  const persona = personaName === '' ? undefined : await catalog.persona(personaName)
  const override = resolveOverride(
    { model, reasoningEffort, serviceTier, fastMode, outputSchema, outputSchemaProblem },
    persona,
    {
      current: agent.settings,
      workspaceModel: persona ? await catalog.workspaceModel(agent.identity.workspace) : '',
    },
    await catalog.backends(),
  )
  return { override, ...(persona && { personaTasks: personaTasks(persona, uuidV7) }) }
}
