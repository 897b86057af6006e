import { SkeinError, type AgentId, type SpawnAgentRequest } from '@skein/contract'
import {
  agentKey,
  isDocument,
  isLive,
  newTask,
  parentIdentity,
  personaTasks,
  requireDepth,
  resolveSettings,
  spawnAgent as decideSpawn,
  type AgentIdentity,
  type Caller,
  type Document,
} from '@skein/core'
import { AgentReader, type Session } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { resolveTenant } from '../access/resolve-tenant.ts'
import type { CommandContext, CommandOutcome } from '../command.ts'
import type { EngineResources } from '../resources.ts'
import { commandAgent } from './agent-command.ts'
import { findBudget, leftOf } from './budget.ts'
import { mintAgentName } from './agent-name.ts'
import { CatalogView } from './catalog-view.ts'
import { dashboardUrl, toAgentId, toMicros } from './describe-agent.ts'
import { agentNotFound, ownerOf, requireWithin, tenantOf } from './find-identity.ts'

export interface SpawnAnswer {
  readonly agentId: AgentId
  readonly followUpId: string
  readonly dashboardUrl: string
}

/** Starts an agent. The catalog is read first; what it says is fixed for this life by its generations. */
export async function spawnAgent(
  engine: EngineResources,
  caller: Caller,
  commandFor: (tenantId: string) => CommandContext,
  request: SpawnAgentRequest,
): Promise<CommandOutcome<SpawnAnswer>> {
  const { agentId = {} } = request
  const tenantId = await resolveTenant(engine, caller, agentId.tenant, agentNotFound)
  const tenant = tenantOf(caller, agentId)
  const path = agentId.agent?.length ? agentId.agent : [mintAgentName(engine.random)]
  const outputSchema = textOf(request.outputSchema)
  const outputSchemaProblem = await engine.schemas.problemOf(tenantId, outputSchema)
  const plan = await engine.database.forTenant(tenantId, async (session) => {
    const catalog = new CatalogView(session)
    const owner = ownerOf(caller, agentId)
    const workspace = await chooseWorkspace(session, catalog, {
      ...owner,
      path,
      workspace: agentId.workspace ?? '',
    })
    const document = (await catalog.find('workspace', workspace))?.document
    if (!document) throw unknownWorkspace(workspace)
    const persona = await catalog.persona(textOf(request.agent) || textOf(document['persona']) || 'default')
    const settings = resolveSettings(
      {
        model: textOf(request.model),
        reasoningEffort: textOf(request.reasoningEffort),
        serviceTier: textOf(request.serviceTier),
        fastMode: request.fastMode,
        outputSchema,
        outputSchemaProblem,
      },
      persona,
      textOf(document['model']),
      await catalog.backends(),
    )
    return {
      identity: { ...owner, workspace, path },
      persona,
      settings,
      pool: textOf(document['pool']) || 'default',
      repos: reposOf(document),
    }
  })
  requireDepth(plan.identity)
  requireWithin(caller, plan.identity)
  const target = { tenantId, tenant, identity: plan.identity }
  const followUpId = uuidV7()
  return commandAgent(engine, commandFor(tenantId), target, { operation: 'spawnAgent' }, async (view) => {
    const above = parentIdentity(plan.identity)
    const reader = new AgentReader(view.session)
    const budget = await findBudget(reader, view.parent)
    const decision = decideSpawn(
      {
        id: uuidV7(),
        identity: plan.identity,
        description: request.description,
        expectedOutput: request.expectedOutput ?? '',
        settings: plan.settings,
        tasks: (request.tasks ?? []).map((task) => newTask(task, uuidV7())),
        personaTasks: personaTasks(plan.persona, uuidV7),
        autoComplete: request.autoComplete ?? false,
        maxCostMicros: toMicros(request.maxCost ?? 0),
        labels: request.labels ?? {},
        pool: plan.pool,
        repos: plan.repos,
        followUpId,
      },
      {
        existing: view.agent,
        parent: view.parent,
        quota: view.quota,
        liveAgents: await reader.liveAgents(),
        queuedBytes: await reader.queuedBytes(),
        liveChildrenOfParent: above ? await reader.liveChildren(agentKey(above)) : 0,
        budgetLeftMicros: budget && leftOf(budget),
        costBeforeMicros: view.agent ? await reader.treeCostMicros(agentKey(plan.identity)) : 0n,
        now: view.now,
      },
    )
    const answer: SpawnAnswer = {
      agentId: toAgentId(plan.identity, tenant),
      followUpId,
      dashboardUrl: dashboardUrl(plan.identity, engine.publicUrl),
    }
    return { ...decision, answer }
  })
}

/** The named one; for a child its parent's; otherwise the tenant's only one, or the one named default. */
async function chooseWorkspace(
  session: Session,
  catalog: CatalogView,
  wanted: AgentIdentity,
): Promise<string> {
  if (wanted.workspace !== '') return wanted.workspace
  const names = await catalog.workspaceNames()
  const above = parentIdentity(wanted)
  if (above) {
    const reader = new AgentReader(session)
    for (const workspace of names) {
      if (isLive(await reader.find(agentKey({ ...above, workspace })))) return workspace
    }
  }
  const [own, ...others] = names.filter((name) => name !== 'default')
  return own !== undefined && others.length === 0 ? own : 'default'
}

function unknownWorkspace(name: string): SkeinError {
  return new SkeinError('REQUEST_INVALID', {
    message: `There is no workspace named ${name}.`,
    violations: [{ field: 'agentId.workspace', description: `there is no workspace named ${name}` }],
  })
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function reposOf(workspace: Document): string[] {
  const { repos } = workspace
  return Array.isArray(repos) ? repos.map((repo: unknown) => textOf(isDocument(repo) ? repo['url'] : '')) : []
}
