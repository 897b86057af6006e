import { Skein, SkeinApiError, SkeinClientError, type Identity, type Resource } from '@skein/client'
import type { CommandContext } from './command-line/command-context.ts'
import { checkBackends, checkRunners, checkSandboxes } from './doctor/check-fleet.ts'
import { checkKeys } from './doctor/check-keys.ts'
import { checkLimits, listNotes } from './doctor/check-limits.ts'
import { checkNetworks } from './doctor/check-networks.ts'
import { faulty, healthy, type Finding } from './doctor/finding.ts'
import { readAll, readFleet } from './doctor/read-fleet.ts'
import { findWaitingAgent } from './doctor/waiting-agent.ts'
import type { Profile } from './profile/profile.ts'
import { ServerDownError, UsageError } from './command-line/usage-error.ts'
import { keyOf } from './profile/renew-key.ts'
import { userAgentOf } from './version.ts'

/** Roles not held by a person, and what their keys are for. */
const HOLDERS: Readonly<Partial<Record<Identity['role'], string>>> = {
  runner: 'runner',
  run: 'run',
  guest: 'share link',
}

/** A fault that makes all further checks pointless. */
class Stopped extends Error {
  readonly finding: Finding

  constructor(finding: Finding) {
    super(finding.message)
    this.finding = finding
  }
}

/** Runs the checks in order, until a fault would only repeat in the following ones. */
export async function diagnose(context: CommandContext, nowMs: number): Promise<Finding[]> {
  const findings: Finding[] = []
  try {
    for await (const finding of runChecks(context, nowMs)) findings.push(finding)
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    findings.push(error.finding)
  }
  return findings
}

async function* runChecks(context: CommandContext, nowMs: number): AsyncGenerator<Finding> {
  const profile = await readProfile(context)
  yield healthy('profile', `${profile.url}, from ${profile.source}; key from ${profile.keySource}`)
  const { url } = profile
  const apiKey = keyOf(context.io, profile)
  // One retry only: the result should come soon.
  const skein = new Skein({ baseUrl: url, apiKey, userAgent: userAgentOf('skein-cli'), retries: 1 })
  const answer = await askWho(skein, url)
  yield healthy('server', `answers at ${url}`)
  if (answer instanceof SkeinApiError) throw new Stopped(explainRefusal(answer))
  yield checkKey(answer)
  // The server caches keys for a moment, so the previous response says nothing about the database.
  const workspaces = await askDatabase(skein)
  yield healthy('database', 'the server reaches it')
  const own = workspaces.filter(({ isBuiltIn }) => !isBuiltIn)
  yield describeWorkspaces(own)
  const fleet = await explaining(readFleet(skein, own.length > 0 ? own : workspaces))
  const runners = checkRunners(fleet, nowMs)
  const rooms = [...checkSandboxes(fleet), ...checkLimits(fleet)]
  // An agent waiting because of such a fault needs no other explanation.
  const waiting = [...runners, ...rooms].some(({ isFault }) => isFault)
    ? undefined
    : await explaining(findWaitingAgent(skein, fleet, nowMs))
  yield* waiting ? [waiting] : runners
  yield* rooms
  yield* checkNetworks(fleet)
  yield* listNotes(fleet)
  yield* checkBackends(fleet)
  yield* checkKeys(fleet)
}

async function readProfile(context: CommandContext): Promise<Profile> {
  try {
    return await context.profile()
  } catch (error) {
    if (error instanceof UsageError) throw new Stopped(faulty('profile', error.message, error.next))
    if (error instanceof ServerDownError) throw new Stopped(faulty('server', error.message, error.next))
    throw error
  }
}

/** Our identity, or the error the server returned. */
async function askWho(skein: Skein, url: string): Promise<Identity | SkeinApiError> {
  try {
    return await skein.whoami()
  } catch (error) {
    if (error instanceof SkeinApiError) return error
    if (error instanceof UsageError) throw new Stopped(faulty('key', error.message, error.next))
    if (!(error instanceof SkeinClientError)) throw error
    throw new Stopped(
      faulty(
        'server',
        `no response from ${url}`,
        'Start the server, or sign in to another one with skein login. To run one on this machine: skein dev',
      ),
    )
  }
}

function checkKey({ account, role, tenant }: Identity): Finding {
  const holder = HOLDERS[role]
  if (holder === undefined) return healthy('key', `you are ${account} (${role}) of ${tenant.org}`)
  const message = `it belongs to a ${holder} and cannot read the catalog`
  throw new Stopped(faulty('key', message, 'Sign in with your own key: skein login'))
}

function askDatabase(skein: Skein): Promise<Resource[]> {
  return explaining(readAll(skein.catalog, 'workspace'))
}

async function explaining<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof SkeinApiError) throw new Stopped(explainRefusal(error))
    throw error
  }
}

function explainRefusal(error: SkeinApiError): Finding {
  if (error.code === 'UNAUTHENTICATED') {
    return faulty('key', 'the server rejects it', 'Sign in with a valid key: skein login')
  }
  if (error.reason === 'DATABASE_UNAVAILABLE') {
    return faulty(
      'database',
      'the server cannot reach it',
      'Start PostgreSQL, and check the server’s SKEIN_DATABASE_URL. For a Skein on this machine: skein dev',
    )
  }
  return faulty('server', error.message, `Look for request ${error.requestId} in the server’s log.`)
}

function describeWorkspaces(own: readonly Resource[]): Finding {
  if (own.length === 0) return healthy('workspaces', 'only the built-in one, which has no repository')
  const names = own.slice(0, 10).map(({ name }) => name)
  return healthy('workspaces', names.join(', ') + (own.length > 10 ? ` and ${own.length - 10} more` : ''))
}
