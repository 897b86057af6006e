import { SkeinError, type AgentId, type Documents, type SpawnAgentRequest } from '@skein/contract'
import { defaultWorkspace } from '@skein/contract/facts'
import {
  agentKey,
  agentNotFound,
  findBuiltIn,
  isLive,
  missingReferences,
  newTask,
  parentIdentity,
  personaTasks,
  requireDepth,
  requireVisible,
  resolveSettings,
  seesWorkspace,
  whereToLook,
  resumeAgent as decideResume,
  spawnAgent as decideSpawn,
  type AgentIdentity,
  type AgentSettings,
  type Caller,
  type PersonaVersion,
  type ResourceRef,
  type SpawnAgent,
} from '@skein/core'
import { AgentReader, isBeingRemoved, type Transaction } from '@skein/store'
import { resolveTenant } from '../access/resolve-tenant.ts'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import { settled } from '../commands/settled.ts'
import type { EngineResources } from '../resources.ts'
import { carryOutAgentCommand, type AgentView } from '../commands/agent-command.ts'
import { findBudget, leftOf } from './budget.ts'
import { mintAgentName } from './agent-name.ts'
import { CatalogView } from './catalog-view.ts'
import { dashboardUrl, toAgentId, toMicros } from './describe-agent.ts'
import { ownerOf, tenantOf } from './find-identity.ts'
import { SpawnReading, type SpawnCatalog } from './spawn-catalog.ts'
import { resolveChange, type SettingsChange } from './settings-change.ts'
import { newId } from '../new-id.ts'

export interface SpawnAnswer {
  readonly agentId: AgentId
  readonly followUpId: string
  readonly dashboardUrl: string
}

/** Starts an agent, or resumes one. What the catalog says now is fixed for this incarnation. */
export async function spawnAgent(
  engine: EngineResources,
  caller: Caller,
  commandFor: (tenantId: string) => CommandContext,
  request: SpawnAgentRequest,
  firstFollowUp?: SpawnAgent['firstFollowUp'],
): Promise<CommandOutcome<SpawnAnswer>> {
  const { agentId = {}, resume = false } = request
  if (resume && !agentId.agent?.length) throw namelessResume()
  const tenantId = await resolveTenant(engine, caller, agentId.tenant, agentNotFound)
  const context = commandFor(tenantId)
  return settled(engine, context, () => spawnIn(engine, context, request, firstFollowUp))
}

async function spawnIn(
  engine: EngineResources,
  context: CommandContext,
  request: SpawnAgentRequest,
  firstFollowUp: SpawnAgent['firstFollowUp'],
): Promise<CommandOutcome<SpawnAnswer>> {
  const { caller, tenantId } = context
  const { agentId = {}, resume: isResumed = false } = request
  const tenant = tenantOf(caller, agentId)
  const outputSchemaProblem = await engine.schemas.problemOf(tenantId, request.outputSchema ?? '')
  const wanted = {
    ...ownerOf(caller, agentId),
    path: agentId.agent?.length ? agentId.agent : [mintAgentName(engine.random)],
    workspace: agentId.workspace ?? '',
  }
  const named = wanted.workspace === '' ? await inSomeWorkspace(engine, context, wanted) : wanted
  requireDepth(named)
  // Before the workspace is looked up: a run must not learn which ones exist.
  requireVisible(caller, named)
  // What follows cannot tell a workspace that is hidden from the caller from one that does not exist.
  const identity = { ...named, workspace: whereToLook(caller, named.workspace) }
  const reading = new SpawnReading(identity, request.agent)
  const target = { tenantId, tenant, identity }
  const followUpId = newId()
  const options = { operation: 'spawnAgent', load: reading }
  return carryOutAgentCommand(engine, context, target, options, async (view) => {
    const { catalog, held, occupancy } = reading.result
    const workspace = catalog.workspace()
    if (!workspace) throw unknownWorkspace(named.workspace)
    const place = { identity, workspace }
    const plan = isResumed ? undefined : planLife(catalog, place, request, outputSchemaProblem)
    requireExisting(referencesOf(place), held)
    if (plan) await requireNotBeingRemoved(engine, view)
    const facts = {
      ...(await readContext(view, identity)),
      ...occupancy,
      retentionMs: engine.sessionRetentionMs,
    }
    const decision = plan
      ? decideSpawn(
          { ...lifeOf(place, plan, request), followUpId, ...(firstFollowUp && { firstFollowUp }) },
          facts,
        )
      : decideResume(
          { ...(await continuationOf(view, place, request, outputSchemaProblem)), followUpId },
          facts,
        )
    const answer: SpawnAnswer = {
      agentId: toAgentId(identity, tenant),
      followUpId,
      dashboardUrl: dashboardUrl(identity, engine.publicUrl),
    }
    return { ...decision, answer }
  })
}

/** Where an agent lives, with its workspace's document. */
interface Place {
  readonly identity: AgentIdentity
  readonly workspace: Documents['workspace']
}

async function inSomeWorkspace(
  { database }: EngineResources,
  { caller, tenantId }: CommandContext,
  wanted: AgentIdentity,
): Promise<AgentIdentity> {
  const workspace = await database.forTenant(tenantId, (transaction) =>
    chooseWorkspace(transaction, caller, wanted),
  )
  return { ...wanted, workspace }
}

/** The resources an agent uses. They cannot be deleted before it counts as using them. */
function referencesOf({ identity, workspace }: Place) {
  const { ownerProvider, account } = identity
  return [
    { kind: 'workspace', name: identity.workspace, field: 'agentId.workspace' },
    { kind: 'pool', name: surroundingsOf(workspace).pool, field: 'agentId.workspace' },
    ...(ownerProvider === 'PROVIDER_SERVICE_PROFILE'
      ? [{ kind: 'profile', name: account, field: 'agentId.account' }]
      : []),
  ]
}

/** They must exist when it starts. */
function requireExisting(references: ReturnType<typeof referencesOf>, stored: readonly ResourceRef[]): void {
  const missing = missingReferences(
    references,
    ({ kind, name }) =>
      stored.some((found) => found.kind === kind && found.name === name) ||
      findBuiltIn(kind, name) !== undefined,
  )
  const [first] = missing
  if (first) {
    throw new SkeinError('REQUEST_INVALID', {
      message: `${first.field}: ${first.description}.`,
      violations: missing,
    })
  }
}

/** A runner may be deleting an earlier incarnation's data in the place where the new one would write. */
async function requireNotBeingRemoved(
  { sessionRetentionMs }: EngineResources,
  { transaction, agent, now }: AgentView,
): Promise<void> {
  if (agent?.endedAt === undefined || agent.endedAt > now - sessionRetentionMs) return
  if (await isBeingRemoved(transaction, agent.id)) {
    throw new SkeinError('AGENT_BEING_REMOVED', { retryDelayMs: 30_000 })
  }
}

interface LifePlan {
  readonly persona: PersonaVersion
  readonly settings: AgentSettings
}

function planLife(
  catalog: SpawnCatalog,
  { workspace }: Place,
  request: SpawnAgentRequest,
  outputSchemaProblem: string | undefined,
): LifePlan {
  const persona = catalog.persona()
  const settings = resolveSettings(
    {
      model: request.model ?? '',
      reasoningEffort: request.reasoningEffort ?? '',
      serviceTier: request.serviceTier ?? '',
      fastMode: request.fastMode,
      outputSchema: request.outputSchema ?? '',
      outputSchemaProblem,
    },
    persona,
    workspace.model,
    catalog.backends(),
  )
  return { persona, settings }
}

function lifeOf({ identity, workspace }: Place, { persona, settings }: LifePlan, request: SpawnAgentRequest) {
  return {
    id: newId(),
    identity,
    description: request.description,
    expectedOutput: request.expectedOutput ?? '',
    settings,
    tasks: tasksOf(request),
    personaTasks: personaTasks(persona, newId),
    autoComplete: request.autoComplete ?? false,
    maxCostMicros: toMicros(request.maxCost ?? 0),
    labels: request.labels ?? {},
    ...surroundingsOf(workspace),
  }
}

async function continuationOf(
  { transaction, agent }: AgentView,
  { identity, workspace }: Place,
  request: SpawnAgentRequest,
  outputSchemaProblem: string | undefined,
) {
  const change: SettingsChange = agent
    ? await resolveChange(transaction, agent, request, outputSchemaProblem)
    : { override: {} }
  return {
    identity,
    message: request.description,
    expectedOutput: request.expectedOutput,
    override: change.override,
    tasks: tasksOf(request),
    personaTasks: change.personaTasks,
    autoComplete: request.autoComplete,
    maxCostMicros: request.maxCost === undefined ? undefined : toMicros(request.maxCost),
    labels: request.labels,
    ...surroundingsOf(workspace),
  }
}

async function readContext(view: AgentView, identity: AgentIdentity) {
  const reader = new AgentReader(view.transaction)
  const budget = await findBudget(reader, view.parent)
  return {
    existing: view.agent,
    parent: view.parent,
    quota: view.quota,
    budgetLeftMicros: budget && leftOf(budget),
    costBeforeMicros: view.agent ? await reader.treeCostMicros(agentKey(identity)) : 0n,
    now: view.now,
  }
}

function tasksOf({ tasks = [] }: SpawnAgentRequest) {
  return tasks.map((task) => newTask(task, newId()))
}

function surroundingsOf({ pool, repos }: Documents['workspace']) {
  return { pool: pool || 'default', repos: repos.map(({ url }) => url) }
}

/** The parent's workspace for a child, else the default among those that the caller sees. */
async function chooseWorkspace(
  transaction: Transaction,
  caller: Caller,
  wanted: AgentIdentity,
): Promise<string> {
  const all = await new CatalogView(transaction).workspaceNames()
  const names = all.filter((name) => seesWorkspace(caller, name))
  const above = parentIdentity(wanted)
  if (above) {
    const reader = new AgentReader(transaction)
    for (const workspace of names) {
      if (isLive(await reader.find(agentKey({ ...above, workspace })))) return workspace
    }
  }
  return defaultWorkspace(names)
}

function namelessResume(): SkeinError {
  const description = 'must name the agent to continue'
  return new SkeinError('REQUEST_INVALID', {
    message: `agentId.agent ${description}.`,
    violations: [{ field: 'agentId.agent', description }],
  })
}

function unknownWorkspace(name: string): SkeinError {
  return new SkeinError('REQUEST_INVALID', {
    message: `The workspace ${name} was not found.`,
    violations: [{ field: 'agentId.workspace', description: `workspace ${name} not found` }],
  })
}
