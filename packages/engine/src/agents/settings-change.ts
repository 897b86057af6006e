import type { QueueFollowUpRequest, SpawnAgentRequest, Task } from '@skein/contract'
import { personaTasks, resolveOverride, type AgentState, type SettingsOverride } from '@skein/core'
import type { Transaction } from '@skein/store'
import { CatalogView } from './catalog-view.ts'
import { newId } from '../new-id.ts'

type Wanted = Pick<
  QueueFollowUpRequest & SpawnAgentRequest,
  'agent' | 'model' | 'reasoningEffort' | 'serviceTier' | 'fastMode' | 'outputSchema'
>

export interface SettingsChange {
  readonly override: SettingsOverride
  /** Tasks of the new persona. */
  readonly personaTasks?: readonly Task[]
}

/** The settings a request changes. Most change none, and then the catalog isn't read. */
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
  return { override, ...(persona && { personaTasks: personaTasks(persona, newId) }) }
}
