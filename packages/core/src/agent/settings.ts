import {
  matchesModel,
  SkeinError,
  type BackendDocument,
  type FieldViolation,
  type PersonaDocument,
  type Task,
} from '@skein/contract'
import { outputSchemaProblem } from '../catalog/output-schema.ts'
import type { AgentSettings, SettingsOverride } from './state.ts'

/** What a caller asks for, at spawn or with a follow-up. Empty means: not set. */
export interface SettingsRequest {
  readonly model: string
  readonly reasoningEffort: string
  readonly serviceTier: string
  readonly fastMode: boolean | undefined
  readonly outputSchema: string
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

/** Explicit, then the persona's, then the workspace's, then the backend's default; without any, backend A. */
export function resolveSettings(
  request: SettingsRequest,
  persona: PersonaVersion,
  workspaceModel: string,
  backends: readonly Backend[],
): AgentSettings {
  const model = firstSet(request.model, persona.document.model, workspaceModel)
  const backend = model === '' ? backends[0] : backendOf(model, backends)
  if (!backend) throw invalidSettings([{ field: 'model', description: `no backend has a model ${model}` }])
  const settings: AgentSettings = {
    persona: persona.name,
    personaGeneration: persona.generation,
    backend: backend.name,
    model: firstSet(model, backend.document.defaultModel),
    // A persona written for the other backend must not make every spawn fail: only what was asked for is an error.
    reasoningEffort: firstSet(
      request.reasoningEffort,
      onlyIf(backend.document.efforts, persona.document.reasoningEffort),
    ),
    serviceTier: firstSet(request.serviceTier, onlyIf(backend.document.tiers, persona.document.serviceTier)),
    fastMode: request.fastMode ?? persona.document.fastMode,
    outputSchema: firstSet(request.outputSchema, persona.document.outputSchema),
  }
  requireValid(request, backend)
  return settings
}

/** What a follow-up changes. The backend stays for the agent's whole life, because its session lives there. */
export function resolveOverride(
  request: SettingsRequest,
  persona: PersonaVersion | undefined,
  current: AgentSettings,
  backends: readonly Backend[],
): SettingsOverride {
  const backend = backends.find(({ name }) => name === current.backend)
  if (!backend)
    throw invalidSettings([{ field: 'model', description: `the backend ${current.backend} is gone` }])
  requireValid(request, backend)
  if (request.model !== '' && backendOf(request.model, backends)?.name !== backend.name) {
    throw invalidSettings([
      {
        field: 'model',
        description: `${request.model} is not a model of the agent's backend ${backend.name}`,
      },
    ])
  }
  const fromPersona = persona && personaOverride(persona, backend, backends)
  return {
    ...fromPersona,
    ...(request.model !== '' && { model: request.model }),
    ...(request.reasoningEffort !== '' && { reasoningEffort: request.reasoningEffort }),
    ...(request.serviceTier !== '' && { serviceTier: request.serviceTier }),
    ...(request.fastMode !== undefined && { fastMode: request.fastMode }),
    ...(request.outputSchema !== '' && { outputSchema: request.outputSchema }),
  }
}

/** A persona that is switched to brings its own settings, as far as they fit the agent's backend. */
function personaOverride(
  { name, generation, document }: PersonaVersion,
  backend: Backend,
  backends: readonly Backend[],
): SettingsOverride {
  const fits = document.model !== '' && backendOf(document.model, backends)?.name === backend.name
  return {
    persona: name,
    personaGeneration: generation,
    ...(fits && { model: document.model }),
    ...(backend.document.efforts.includes(document.reasoningEffort) && {
      reasoningEffort: document.reasoningEffort,
    }),
    ...(backend.document.tiers.includes(document.serviceTier) && { serviceTier: document.serviceTier }),
    ...(document.outputSchema !== '' && { outputSchema: document.outputSchema }),
  }
}

/** The tasks that a persona puts on a checklist. */
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
      description: `backend ${name} accepts ${document.efforts.join(', ')}`,
    })
  }
  if (request.serviceTier !== '' && !document.tiers.includes(request.serviceTier)) {
    const accepted = document.tiers.length === 0 ? 'no tier' : document.tiers.join(', ')
    violations.push({ field: 'serviceTier', description: `backend ${name} accepts ${accepted}` })
  }
  const schemaProblem = request.outputSchema === '' ? undefined : outputSchemaProblem(request.outputSchema)
  if (schemaProblem) violations.push({ field: 'outputSchema', description: schemaProblem })
  if (violations.length > 0) throw invalidSettings(violations)
}

function invalidSettings(violations: readonly FieldViolation[]): SkeinError {
  const [first] = violations
  return new SkeinError('MODEL_SETTINGS_INVALID', {
    message: `The settings do not fit: ${first?.field}: ${first?.description}.`,
    violations,
  })
}

function backendOf(model: string, backends: readonly Backend[]): Backend | undefined {
  return backends.find(({ document }) => document.models.some((pattern) => matchesModel(pattern, model)))
}

function firstSet(...values: readonly string[]): string {
  return values.find((value) => value !== '') ?? ''
}

function onlyIf(accepted: readonly string[], value: string): string {
  return accepted.includes(value) ? value : ''
}
