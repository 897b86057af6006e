import { formatInt64, PROVIDER_TOOLS, type Assignment, type Budget, type ProviderTool } from '@skein/contract'
import {
  ceilingOf,
  effectiveMachine,
  effectiveNetwork,
  effectiveSandbox,
  effectiveToolPrices,
  findBuiltIn,
  isDocument,
  type AgentSettings,
  type AgentState,
  type Caller,
  type Ceiling,
  type Document,
  type FollowUpBody,
} from '@skein/core'
import {
  AgentReader,
  CatalogStore,
  findOwnTenant,
  readRunSurroundings,
  SealedValueStore,
  type ClaimedRun,
  type Transaction,
} from '@skein/store'
import { findBudget } from '../agents/budget.ts'
import { describeSettings, toAgentId, toDollars } from '../agents/describe-agent.ts'
import { placeOf } from '../catalog/secrets.ts'
import type { EngineResources } from '../resources.ts'
import { formatLease } from './lease-id.ts'
import { mintRunKey } from './run-key.ts'

interface Assigning {
  readonly engine: EngineResources
  readonly caller: Caller
  readonly run: ClaimedRun
  readonly transaction: Transaction
}

/** Everything a runner needs for one run, from the current catalog, except for the persona's version. */
export async function describeAssignment(
  assigning: Assigning,
  agent: AgentState,
  messages: readonly FollowUpBody[],
): Promise<Assignment> {
  const { engine, run, transaction } = assigning
  const { settings } = agent
  const { workspace, pool, backend, environment, vmProfile, ceiling } = await surroundingsOf(
    engine,
    transaction,
    agent,
  )
  return {
    lease: formatLease(run),
    leaseMs: engine.leaseMs,
    agentId: toAgentId(agent.identity, await tenantOfRun(assigning)),
    runId: run.runId.toString(),
    attempt: run.attempt,
    description: agent.description,
    expectedOutput: agent.expectedOutput,
    messages: messages.map(({ followUpId, description }) => ({ followUpId, description })),
    runsBefore: formatInt64(agent.runsBefore),
    resumed: agent.resumed === true,
    unanswered: await unansweredBefore(new AgentReader(transaction), agent),
    ...describeSettings(settings),
    prompt: await promptOf(transaction, settings),
    tasks: [...agent.tasks],
    pool: agent.pool,
    repos: await reposOf(assigning, workspace),
    environment: await environmentOf(assigning, environment, ceiling),
    sandbox: effectiveSandbox(pool, ceiling),
    limits: effectiveMachine(vmProfile, ceiling),
    helperModels: textsOf(backend['helperModels']),
    prices: pricesOf(backend),
    leastPrices: [...ceiling.prices],
    toolPrices: effectiveToolPrices(toolPricesOf(backend), ceiling),
    ...(await providerKeyOf(assigning, backend)),
    budget: await describeBudget(new AgentReader(transaction), agent),
    session: agent.session,
    discarded: agent.discarded ?? '',
    runKey: mintRunKey(engine, run),
  }
}

/** The last run before an agent was resumed may have failed before the agent got its messages. */
async function unansweredBefore(
  reader: AgentReader,
  { id, resumed, runsBefore, run }: AgentState,
): Promise<string[]> {
  if (resumed !== true || run?.runId !== runsBefore + 1n) return []
  const messages = await reader.followUpsOfRun(id, runsBefore)
  return messages.map(({ description }) => description)
}

export async function describeBudget(reader: AgentReader, agent: AgentState | undefined): Promise<Budget> {
  const budget = await findBudget(reader, agent)
  if (!budget) return { isCapped: false, maxCost: 0, spent: 0 }
  return { isCapped: true, maxCost: toDollars(budget.maxCostMicros), spent: toDollars(budget.spentMicros) }
}

/** A runner for all tenants belongs to another tenant. */
async function tenantOfRun({ caller, run, transaction }: Assigning): Promise<Caller['tenant']> {
  return run.tenantId === caller.tenantId ? caller.tenant : findOwnTenant(transaction)
}

/** Uses the built-in for anything the tenant hasn't written. Deleted resources are empty. */
async function surroundingsOf(
  engine: EngineResources,
  transaction: Transaction,
  { identity, pool: poolName, settings }: AgentState,
) {
  const { workspace: workspaceName } = identity
  const own = await readRunSurroundings(transaction, {
    workspace: workspaceName,
    pool: poolName,
    backend: settings.backend,
  })
  const workspace = own.workspace ?? findBuiltIn('workspace', workspaceName) ?? {}
  const pool = own.pool ?? findBuiltIn('pool', poolName) ?? {}
  return {
    workspace,
    pool,
    environment: own.environment ?? findBuiltIn('environment', textOf(workspace['environment'])) ?? {},
    // A pool may not name a profile, and a machine always has memory.
    vmProfile: own.vmProfile ?? findBuiltIn('vm-profile', textOf(pool['vmProfile']) || 'default') ?? {},
    backend: own.backend ?? findBuiltIn('backend', settings.backend) ?? {},
    ceiling: ceilingOf(engine.ceiling, own.ceiling),
  }
}

/** The system prompt of the persona version that was active when it was chosen. */
async function promptOf(
  transaction: Transaction,
  { persona, personaGeneration }: AgentSettings,
): Promise<string> {
  const document =
    personaGeneration === '0'
      ? findBuiltIn('persona', persona)
      : await new CatalogStore(transaction).findVersion(
          { kind: 'persona', name: persona },
          BigInt(personaGeneration),
        )
  return textOf(document?.['prompt'])
}

/** Including their credentials. */
export async function reposOf(
  assigning: Pick<Assigning, 'engine' | 'transaction'> & { run: Pick<ClaimedRun, 'tenantId'> },
  { repos }: Document,
): Promise<Assignment['repos']> {
  const described: Assignment['repos'] = []
  for (const repo of Array.isArray(repos) ? repos.filter(isDocument) : []) {
    described.push({
      url: textOf(repo['url']),
      baseBranch: textOf(repo['baseBranch']),
      credential: await secretOf(assigning, textOf(repo['credential'])),
    })
  }
  return described
}

async function environmentOf(
  assigning: Assigning,
  environment: Document,
  ceiling: Ceiling,
): Promise<Assignment['environment']> {
  const { setupScript, variables, secrets, providerTools, betas } = environment
  const network = effectiveNetwork(environment, ceiling)
  const values: Record<string, string> = {}
  for (const [variable, name] of Object.entries(isDocument(secrets) ? secrets : {})) {
    values[variable] = await secretOf(assigning, textOf(name))
  }
  return {
    setupScript: textOf(setupScript),
    variables: Object.fromEntries(
      Object.entries(isDocument(variables) ? variables : {}).map(([name, value]) => [name, textOf(value)]),
    ),
    secrets: values,
    network,
    // Features that use the network are only enabled where the agent may use it.
    providerTools: network === 'open' ? textsOf(providerTools).filter(isProviderTool) : [],
    betas: network === 'open' ? textsOf(betas) : [],
  }
}

/** The tenant's own key, if its backend names one. If the secret was deleted it is empty, so nobody else pays. */
async function providerKeyOf(
  assigning: Assigning,
  { credential }: Document,
): Promise<Pick<Assignment, 'providerKey'>> {
  const secret = textOf(credential)
  if (secret === '') return {}
  return { providerKey: { secret, value: await secretOf(assigning, secret) } }
}

async function secretOf(
  { engine, run, transaction }: Parameters<typeof reposOf>[0],
  name: string,
): Promise<string> {
  if (name === '') return ''
  const ref = { kind: 'secret', name }
  const sealed = await new SealedValueStore(transaction).find(ref)
  return sealed === undefined ? '' : engine.vault.open(sealed, placeOf(run.tenantId, ref))
}

function pricesOf({ prices }: Document): Assignment['prices'] {
  const documents = Array.isArray(prices) ? prices.filter(isDocument) : []
  return documents.map((price) => ({
    model: textOf(price['model']),
    input: numberOf(price['input']),
    cachedInput: numberOf(price['cachedInput']),
    cacheWrite: numberOf(price['cacheWrite']),
    output: numberOf(price['output']),
  }))
}

function toolPricesOf({ toolPrices }: Document): Assignment['toolPrices'] {
  const documents = Array.isArray(toolPrices) ? toolPrices.filter(isDocument) : []
  return documents.flatMap(({ tool, perUse }) =>
    isProviderTool(tool) ? [{ tool, perUse: numberOf(perUse) }] : [],
  )
}

function isProviderTool(value: unknown): value is ProviderTool {
  return PROVIDER_TOOLS.some((tool) => tool === value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
