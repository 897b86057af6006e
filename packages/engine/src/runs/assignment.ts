import { formatInt64, type Assignment, type Budget, type Documents } from '@skein/contract'
import {
  ceilingOf,
  effectiveMachine,
  effectiveNetwork,
  effectiveSandbox,
  effectiveToolPrices,
  findBuiltIn,
  parseDocument,
  queuedMs,
  type AgentSettings,
  type AgentState,
  type Caller,
  type Ceiling,
} from '@skein/core'
import {
  AgentReader,
  CatalogStore,
  findOwnTenant,
  parseRunSurroundings,
  readRunSurroundings,
  SealedValueStore,
  type ClaimedRun,
  type Message,
  type StoredSurroundings,
  type SurroundingNames,
  type Transaction,
} from '@skein/store'
import { findBudget } from '../agents/budget.ts'
import { describeSettings, toAgentId, toDollars } from '../agents/describe-agent.ts'
import { placeOf } from '../catalog/secrets.ts'
import type { EngineResources } from '../resources.ts'
import { formatLease } from '../lease-id.ts'
import { mintRunKey } from '../access/run-key.ts'
import { sealRunAccess } from './repo-access.ts'
import { traceLinksOf } from './run-trace.ts'

interface Assigning {
  readonly engine: EngineResources
  readonly caller: Caller
  readonly run: ClaimedRun
  /** The parent of the run's spans; empty if nobody traces. */
  readonly traceparent: string
  readonly transaction: Transaction
}

/** Everything a runner needs for one run, from the current catalog, except for the persona's version. */
export async function describeAssignment(
  assigning: Assigning,
  agent: AgentState,
  messages: readonly Message[],
  stored: StoredSurroundings,
): Promise<Assignment> {
  const { engine, run, transaction } = assigning
  const { settings } = agent
  const { workspace, pool, backend, environment, vmProfile, ...own } = parseRunSurroundings(
    await currentSurroundings(transaction, agent, stored),
  )
  const ceiling = ceilingOf(engine.ceiling, own.ceiling)
  const budget = await describeBudget(new AgentReader(transaction), agent)
  return {
    lease: formatLease(run),
    leaseMs: engine.leaseMs,
    agentId: toAgentId(agent.identity, await tenantOfRun(assigning)),
    runId: run.runId.toString(),
    attempt: run.attempt,
    queuedMs: queuedMs(agent.run, agent.run?.startedAt ?? 0),
    traceparent: assigning.traceparent,
    traceLinks: traceLinksOf(run, messages),
    description: agent.description,
    expectedOutput: agent.expectedOutput,
    messages: messages.map(({ body: { followUpId, description } }) => ({ followUpId, description })),
    runsBefore: formatInt64(agent.runsBefore),
    resumed: agent.resumed === true,
    unanswered: await unansweredBefore(new AgentReader(transaction), agent),
    ...describeSettings(settings),
    prompt: await promptOf(transaction, settings),
    tasks: [...agent.tasks],
    pool: agent.pool,
    repos: await reposOf(assigning, workspace, () => sealRunAccess(engine, run)),
    // What other agents started is merged by them, or opened with the tool.
    ...(workspace.openPullRequests === 'first-push' &&
      agent.identity.path.length === 1 && { draftAtPush: true }),
    environment: await environmentOf(assigning, environment, ceiling),
    sandbox: effectiveSandbox(pool, ceiling),
    limits: effectiveMachine(vmProfile, ceiling),
    helperModels: backend?.helperModels ?? [],
    prices: backend?.prices ?? [],
    leastPrices: [...ceiling.prices],
    toolPrices: effectiveToolPrices(backend?.toolPrices ?? [], ceiling),
    ...(await providerKeyOf(assigning, backend?.credential ?? '')),
    budget,
    ...(!budget.isCapped && !stored.hasBudgets && { unbudgeted: true }),
    session: agent.session,
    discarded: agent.discarded ?? '',
    runKey: mintRunKey(engine, run),
  }
}

export function surroundingNames({ identity, pool, settings }: AgentState): SurroundingNames {
  return { workspace: identity.workspace, pool, backend: settings.backend }
}

/** Read again if a message of this run changes the backend. */
async function currentSurroundings(
  transaction: Transaction,
  agent: AgentState,
  stored: StoredSurroundings,
): Promise<StoredSurroundings> {
  const names = surroundingNames(agent)
  return names.backend === stored.names.backend ? stored : readRunSurroundings(transaction, names)
}

/** The last run before an agent was resumed may have failed before the agent got its messages. */
async function unansweredBefore(
  reader: AgentReader,
  { id, resumed, runsBefore, run }: AgentState,
): Promise<string[]> {
  if (resumed !== true || run?.runId !== runsBefore + 1n) return []
  const messages = await reader.messagesOfRun(id, runsBefore)
  return messages.map(({ body }) => body.description)
}

async function describeBudget(reader: AgentReader, agent: AgentState | undefined): Promise<Budget> {
  const budget = await findBudget(reader, agent)
  if (!budget) return { isCapped: false, maxCost: 0, spent: 0 }
  return { isCapped: true, maxCost: toDollars(budget.maxCostMicros), spent: toDollars(budget.spentMicros) }
}

/** A runner for all tenants belongs to another tenant. */
async function tenantOfRun({ caller, run, transaction }: Assigning): Promise<Caller['tenant']> {
  return run.tenantId === caller.tenantId ? caller.tenant : findOwnTenant(transaction)
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
  return document ? parseDocument('persona', persona, document).prompt : ''
}

/** Including their credentials, or with what the runner gets one for. */
export async function reposOf(
  assigning: Pick<Assigning, 'engine' | 'transaction'> & { run: Pick<ClaimedRun, 'tenantId'> },
  { repos }: Pick<Documents['workspace'], 'repos'>,
  sealAccess: () => string,
): Promise<Assignment['repos']> {
  const described: Assignment['repos'] = []
  for (const { url, baseBranch, credential, codeHost } of repos) {
    const secret = await secretOf(assigning, credential)
    described.push({ url, baseBranch, credential: secret, ...(codeHost !== '' && { access: sealAccess() }) })
  }
  return described
}

async function environmentOf(
  assigning: Assigning,
  environment: Documents['environment'],
  ceiling: Ceiling,
): Promise<Assignment['environment']> {
  const { setupScript, variables, secrets, providerTools, betas } = environment
  const network = effectiveNetwork(environment, ceiling)
  const values: Record<string, string> = {}
  for (const [variable, name] of Object.entries(secrets)) values[variable] = await secretOf(assigning, name)
  return {
    setupScript,
    variables,
    secrets: values,
    network,
    // Features that use the network are only enabled where the agent may use it.
    providerTools: network === 'open' ? providerTools : [],
    betas: network === 'open' ? betas : [],
  }
}

/** The tenant's own key, if its backend names one. If the secret was deleted it is empty, so nobody else pays. */
async function providerKeyOf(assigning: Assigning, secret: string): Promise<Pick<Assignment, 'providerKey'>> {
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
