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
  resumeAgent as decideResume,
  spawnAgent as decideSpawn,
  type AgentIdentity,
  type AgentSettings,
  type Caller,
  type PersonaVersion,
} from '@skein/core'
import { AgentReader, CatalogStore, isBeingRemoved, type Transaction } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
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
import { resolveChange, type SettingsChange } from './settings-change.ts'

export interface SpawnAnswer {
  readonly agentId: AgentId
  readonly followUpId: string
  readonly dashboardUrl: string
}

/** Starts an agent, or resumes one. The catalog is read first, and what it says is fixed for this incarnation. */
export async function spawnAgent(
  engine: EngineResources,
  caller: Caller,
  commandFor: (tenantId: string) => CommandContext,
  request: SpawnAgentRequest,
): Promise<CommandOutcome<SpawnAnswer>> {
  const { agentId = {}, resume = false } = request
  if (resume && !agentId.agent?.length) throw namelessResume()
  const tenantId = await resolveTenant(engine, caller, agentId.tenant, agentNotFound)
  const context = commandFor(tenantId)
  return settled(engine, context, () => spawnIn(engine, context, request))
}

async function spawnIn(
  engine: EngineResources,
  context: CommandContext,
  request: SpawnAgentRequest,
): Promise<CommandOutcome<SpawnAnswer>> {
  const { caller, tenantId } = context
  const { agentId = {}, resume: isResumed = false } = request
  const tenant = tenantOf(caller, agentId)
  const outputSchemaProblem = await engine.schemas.problemOf(tenantId, request.outputSchema ?? '')
  const place = await engine.database.forTenant(tenantId, (transaction) =>
    findPlace(transaction, {
      ...ownerOf(caller, agentId),
      path: agentId.agent?.length ? agentId.agent : [mintAgentName(engine.random)],
      workspace: agentId.workspace ?? '',
    }),
  )
  const { identity } = place
  requireDepth(identity)
  requireVisible(caller, identity)
  const plan = isResumed
    ? undefined
    : await engine.database.forTenant(tenantId, (transaction) =>
        planLife(transaction, place, request, outputSchemaProblem),
      )
  const target = { tenantId, tenant, identity }
  const followUpId = uuidV7()
  return carryOutAgentCommand(engine, context, target, { operation: 'spawnAgent' }, async (view) => {
    await holdReferences(view.transaction, place)
    if (plan) await requireNotBeingRemoved(engine, view)
    const facts = { ...(await readContext(view, identity)), retentionMs: engine.sessionRetentionMs }
    const decision = plan
      ? decideSpawn({ ...lifeOf(place, plan, request), followUpId }, facts)
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

async function findPlace(transaction: Transaction, wanted: AgentIdentity): Promise<Place> {
  const catalog = new CatalogView(transaction)
  const name = await chooseWorkspace(transaction, catalog, wanted)
  const workspace = (await catalog.find('workspace', name))?.document
  if (!workspace) throw unknownWorkspace(name)
  return { identity: { ...wanted, workspace: name }, workspace }
}

/** The resources an agent uses must exist when it starts, and cannot be deleted before it counts as using them. */
async function holdReferences(transaction: Transaction, { identity, workspace }: Place): Promise<void> {
  const { ownerProvider, account } = identity
  const references = [
    { kind: 'workspace', name: identity.workspace, field: 'agentId.workspace' },
    { kind: 'pool', name: surroundingsOf(workspace).pool, field: 'agentId.workspace' },
    ...(ownerProvider === 'PROVIDER_SERVICE_PROFILE'
      ? [{ kind: 'profile', name: account, field: 'agentId.account' }]
      : []),
  ]
  const store = new CatalogStore(transaction)
  await store.lockInOrder(references)
  const stored = await store.existing(references)
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

async function planLife(
  transaction: Transaction,
  { workspace }: Place,
  request: SpawnAgentRequest,
  outputSchemaProblem: string | undefined,
): Promise<LifePlan> {
  const catalog = new CatalogView(transaction)
  const { agent = '' } = request
  const persona = await catalog.persona(agent || workspace.persona || 'default')
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
    await catalog.backends(),
  )
  return { persona, settings }
}

function lifeOf({ identity, workspace }: Place, { persona, settings }: LifePlan, request: SpawnAgentRequest) {
  return {
    id: uuidV7(),
    identity,
    description: request.description,
    expectedOutput: request.expectedOutput ?? '',
    settings,
    tasks: tasksOf(request),
    personaTasks: personaTasks(persona, uuidV7),
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
  const above = parentIdentity(identity)
  const budget = await findBudget(reader, view.parent)
  return {
    existing: view.agent,
    parent: view.parent,
    quota: view.quota,
    liveAgents: await reader.liveAgents(),
    queuedBytes: await reader.queuedBytes(),
    liveChildrenOfParent: above ? await reader.liveChildren(agentKey(above)) : 0,
    budgetLeftMicros: budget && leftOf(budget),
    costBeforeMicros: view.agent ? await reader.treeCostMicros(agentKey(identity)) : 0n,
    now: view.now,
  }
}

function tasksOf({ tasks = [] }: SpawnAgentRequest) {
  return tasks.map((task) => newTask(task, uuidV7()))
}

function surroundingsOf({ pool, repos }: Documents['workspace']) {
  return { pool: pool || 'default', repos: repos.map(({ url }) => url) }
}

/** The named workspace, or the parent's for a child. */
async function chooseWorkspace(
  transaction: Transaction,
  catalog: CatalogView,
  wanted: AgentIdentity,
): Promise<string> {
  if (wanted.workspace !== '') return wanted.workspace
  const names = await catalog.workspaceNames()
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
