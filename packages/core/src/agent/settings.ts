import {
  SkeinError,
  type BackendDocument,
  type FieldViolation,
  type PersonaDocument,
  type Task,
} from '@skein/contract'
import { backendName, matchesModel } from '@skein/contract/facts'
import type { AgentSettings, ChosenSetting, SettingsOverride } from './state.ts'

/** Settings requested at spawn or with a follow-up. Empty means not set. */
export interface SettingsRequest {
  readonly model: string
  readonly reasoningEffort: string
  readonly serviceTier: string
  readonly fastMode: boolean | undefined
  readonly outputSchema: string
  /** Result of checking the schema. Checked beforehand, because it can take long. */
  readonly outputSchemaProblem: string | undefined
}

export interface PersonaVersion {
  readonly name: string
  readonly generation: string
  readonly document: PersonaDocument
}

export interface Backend {
  readonly name: string
  readonly document: BackendDocument
}

/** Precedence: caller, persona, workspace, backend default. Without any of these, backend A. */
export function resolveSettings(
  request: SettingsRequest,
  persona: PersonaVersion,
  workspaceModel: string,
  backends: readonly Backend[],
): AgentSettings {
  const model = firstSet(request.model, persona.document.model, workspaceModel)
  const backend = model === '' ? backends[0] : backendOf(model, backends)
  if (!backend)
    throw invalidSettings([{ field: 'model', description: `no backend offers the model ${model}` }])
  requireValid(request, backend)
  const choice = chosenSettings(request)
  return {
    backend: backend.name,
    ...givenSettings(persona, workspaceModel, backend, backends),
    ...choice,
    chosen: chosenNames(choice),
  }
}

/**
 * Settings changed by a follow-up. The backend never changes during an agent's life, because it holds the session.
 */
export function resolveOverride(
  request: SettingsRequest,
  persona: PersonaVersion | undefined,
  { current, workspaceModel }: { current: AgentSettings; workspaceModel: string },
  backends: readonly Backend[],
): SettingsOverride {
  const backend = backends.find(({ name }) => name === current.backend)
  if (!backend)
    throw invalidSettings([
      { field: 'model', description: `the backend ${backendName(current.backend)} no longer exists` },
    ])
  requireValid(request, backend)
  if (request.model !== '' && !isModelOf(backend, request.model, backends)) {
    throw invalidSettings([
      {
        field: 'model',
        description: `${request.model} is not a model of the agent's backend ${backendName(backend.name)}`,
      },
    ])
  }
  const choice = chosenSettings(request)
  const chosen = chosenNames(choice)
  return {
    ...(persona && givenSettings(persona, workspaceModel, backend, backends)),
    ...choice,
    ...(chosen.length > 0 && { chosen }),
  }
}

/** Switching persona changes what came from a persona or a default, never what a caller chose. */
export function applyOverride(
  settings: AgentSettings,
  { chosen: nowChosen = [], ...values }: SettingsOverride,
): AgentSettings {
  const kept = settings.chosen.filter((name) => !nowChosen.includes(name))
  const changed = Object.entries(values).filter(([name]) => !kept.some((keptName) => keptName === name))
  return { ...settings, ...Object.fromEntries(changed), chosen: [...kept, ...nowChosen] }
}

/**
 * Settings used where the caller chose none. What doesn't fit the agent's backend is left out, so that a persona
 * written for another backend doesn't make every spawn fail.
 */
function givenSettings(
  { name, generation, document }: PersonaVersion,
  workspaceModel: string,
  backend: Backend,
  backends: readonly Backend[],
): Omit<AgentSettings, 'backend' | 'chosen'> {
  const models = [document.model, workspaceModel]
  return {
    persona: name,
    personaGeneration: generation,
    model: models.find((model) => isModelOf(backend, model, backends)) ?? backend.document.defaultModel,
    reasoningEffort: onlyIf(backend.document.efforts, document.reasoningEffort),
    serviceTier: onlyIf(backend.document.tiers, document.serviceTier),
    fastMode: document.fastMode,
    outputSchema: document.outputSchema,
  }
}

type Choice = Partial<Pick<AgentSettings, ChosenSetting>>

function chosenSettings({
  model,
  reasoningEffort,
  serviceTier,
  fastMode,
  outputSchema,
}: SettingsRequest): Choice {
  return {
    ...(model !== '' && { model }),
    ...(reasoningEffort !== '' && { reasoningEffort }),
    ...(serviceTier !== '' && { serviceTier }),
    ...(fastMode !== undefined && { fastMode }),
    ...(outputSchema !== '' && { outputSchema }),
  }
}

const CHOSEN_SETTINGS: readonly ChosenSetting[] = [
  'model',
  'reasoningEffort',
  'serviceTier',
  'fastMode',
  'outputSchema',
]

function chosenNames(choice: Choice): readonly ChosenSetting[] {
  return CHOSEN_SETTINGS.filter((name) => choice[name] !== undefined)
}

/** The checklist tasks a persona adds. */
export function personaTasks({ name, document }: PersonaVersion, mintId: () => string): Task[] {
  return document.tasks.map(({ subject, description, activation }) => ({
    id: mintId(),
    subject,
    description,
    status: 'TASK_STATUS_PENDING',
    blocks: [],
    blockedBy: [],
    activation: activation ?? {},
    persona: name,
    dedupKey: '',
    ephemeral: false,
  }))
}

function requireValid(request: SettingsRequest, { name, document }: Backend): void {
  const violations: FieldViolation[] = []
  if (request.reasoningEffort !== '' && !document.efforts.includes(request.reasoningEffort)) {
    violations.push({
      field: 'reasoningEffort',
      description: `${backendName(name)} accepts ${document.efforts.join(', ')}`,
    })
  }
  if (request.serviceTier !== '' && !document.tiers.includes(request.serviceTier)) {
    const accepted = document.tiers.length === 0 ? 'no tier' : document.tiers.join(', ')
    violations.push({ field: 'serviceTier', description: `${backendName(name)} accepts ${accepted}` })
  }
  if (request.outputSchemaProblem !== undefined) {
    violations.push({ field: 'outputSchema', description: request.outputSchemaProblem })
  }
  if (violations.length > 0) throw invalidSettings(violations)
}

function invalidSettings(violations: readonly FieldViolation[]): SkeinError {
  const [first] = violations
  return new SkeinError('MODEL_SETTINGS_INVALID', {
    message: `The settings are not valid: ${first?.field}: ${first?.description}.`,
    violations,
  })
}

function backendOf(model: string, backends: readonly Backend[]): Backend | undefined {
  return backends.find(({ document }) => document.models.some((pattern) => matchesModel(pattern, model)))
}

function isModelOf(backend: Backend, model: string, backends: readonly Backend[]): boolean {
  return model !== '' && backendOf(model, backends)?.name === backend.name
}

function firstSet(...values: readonly string[]): string {
  return values.find((value) => value !== '') ?? ''
}

function onlyIf(accepted: readonly string[], value: string): string {
  return accepted.includes(value) ? value : ''
}
