import { formatAgentName, SkeinApiError, SkeinClientError, type Skein } from '@skein/client'
import type { CommandContext } from './command-context.ts'
import { formatSpan } from './output/facts.ts'
import { UsageError } from './usage-error.ts'

export interface Finding {
  readonly check: string
  readonly isFault: boolean
  readonly message: string
  /** What to do about it; empty where nothing has to be done. */
  readonly mend: string
}

/** One check after another, until one finds a fault that the next ones would only repeat. */
export async function diagnose(context: CommandContext, nowMs: number): Promise<Finding[]> {
  const findings: Finding[] = []
  const checks = [checkProfile, checkServer, checkWorkspaces, checkRunners]
  for (const check of checks) {
    const finding = await check(context, nowMs)
    findings.push(finding)
    if (finding.isFault) break
  }
  return findings
}

async function checkProfile(context: CommandContext): Promise<Finding> {
  try {
    const { url } = await context.profile()
    return healthy('profile', url)
  } catch (error) {
    if (error instanceof UsageError) return faulty('profile', error.message, error.next)
    throw error
  }
}

async function checkServer(context: CommandContext): Promise<Finding> {
  const { url } = await context.profile()
  try {
    const { account, role, tenant } = await (await context.skein()).whoami()
    return healthy('server', `knows you as ${account} (${role}) of ${tenant.org}`)
  } catch (error) {
    if (error instanceof SkeinApiError) return explainRefusal(error)
    if (!(error instanceof SkeinClientError)) throw error
    return faulty(
      'server',
      `nobody answers at ${url}`,
      'Start the server, or set the right URL with skein login. To run one on this machine: skein dev',
    )
  }
}

function explainRefusal(error: SkeinApiError): Finding {
  if (error.code === 'UNAUTHENTICATED') {
    return faulty('key', 'the server does not take it', 'Sign in with a valid key: skein login')
  }
  if (error.reason === 'DATABASE_UNAVAILABLE') {
    return faulty(
      'database',
      'the server cannot reach it',
      'Start PostgreSQL, and check SKEIN_DATABASE_URL of the server.',
    )
  }
  return faulty('server', error.message, `Look for request ${error.requestId} in the server’s log.`)
}

async function checkWorkspaces(context: CommandContext): Promise<Finding> {
  const names: string[] = []
  for await (const { name } of (await context.skein()).catalog.list('workspace')) names.push(name)
  if (names.length > 0) return healthy('workspaces', names.slice(0, 10).join(', '))
  return faulty('workspaces', 'there is none', 'Write one and apply it: skein apply -f workspace.yaml')
}

/** How long a run may wait for a runner before that is worth a word. */
const PATIENCE_MS = 15_000

async function checkRunners(context: CommandContext, nowMs: number): Promise<Finding> {
  const waiting = await findWaitingAgent(await context.skein(), nowMs)
  if (!waiting) return healthy('runners', 'no run waits for one')
  return faulty(
    'runners',
    `${waiting.name} has waited ${formatSpan(waiting.waitedMs)} for one`,
    'Start a runner for the pool of its workspace, or look at the log of the one that should be there.',
  )
}

async function findWaitingAgent(
  skein: Skein,
  nowMs: number,
): Promise<{ readonly name: string; readonly waitedMs: number } | undefined> {
  for await (const { agentId } of skein.agents({ phases: ['PHASE_PENDING'] })) {
    const { phase, run, createTime, progressAt } = await skein.agent(agentId).status()
    const since = progressAt === '' ? createTime : progressAt
    const waitedMs = nowMs - Date.parse(since)
    const isQueued = phase === 'PHASE_PENDING' && run.state === 'RUN_STATE_QUEUED'
    if (isQueued && waitedMs > PATIENCE_MS) return { name: formatAgentName(agentId), waitedMs }
  }
  return undefined
}

function healthy(check: string, message: string): Finding {
  return { check, isFault: false, message, mend: '' }
}

function faulty(check: string, message: string, mend: string): Finding {
  return { check, isFault: true, message, mend }
}
