import { createHash } from 'node:crypto'
import type { Assignment } from '@skein/contract'
import type { SessionRef } from '../backends/backend.ts'
import { mintToken } from '../front/front.ts'
import type { Push } from '../git-front/git-front.ts'
import type { Sandbox, SandboxProvider } from '../sandbox/sandbox.ts'
import type { AgentWorkspace } from '../workspace/agent-workspace.ts'
import { restoreSession } from '../workspace/session-files.ts'
import { Desk } from './desk.ts'
import { buildInstructions } from './instructions.ts'
import type { RunnerParts } from './parts.ts'
import type { OfferedBackend } from '../backends/offered-backend.ts'
import type { RunReporter } from './run-reporter.ts'
import { blobKeyOf, type SavedSession } from './saved-session.ts'

/** The environment's set-up script went wrong. The message is what it printed. */
export class SetupFailed extends Error {}

const SETUP_TIMEOUT_MS = 1_800_000

export interface DeskRequest {
  readonly parts: RunnerParts
  readonly assignment: Assignment
  readonly workspace: AgentWorkspace
  readonly offered: OfferedBackend
  readonly provider: SandboxProvider
  readonly saved: SavedSession | undefined
  readonly reporter: RunReporter
  /** Ends whatever is going on in the sandbox. */
  readonly signal: AbortSignal
}

/** The agent's desk from its last turn if it still fits, else a new one with workspace and conversation restored. */
export async function openDesk(request: DeskRequest): Promise<Desk> {
  const { parts, assignment, workspace, offered, saved } = request
  const fingerprint = fingerprintOf(assignment)
  const snapshot = saved?.snapshot ?? ''
  const warm = await parts.desks.take(workspace.names.hash, { fingerprint, snapshot })
  if (warm) {
    try {
      await prepare(request, warm.sandbox)
      return warm
    } catch (error) {
      await warm.close()
      throw error
    }
  }
  const sandbox = await createSandbox(request)
  const end = (): void => void sandbox.dispose()
  request.signal.addEventListener('abort', end, { once: true })
  try {
    await prepare(request, sandbox)
    const session = saved && (await restore(request, sandbox, saved))
    const token = mintToken(sandbox.spec.front)
    const program = offered.backend.open({
      ...settingsOf(assignment),
      instructions: buildInstructions(assignment, {
        branch: assignment.repos.length > 0 ? workspace.names.branch : '',
        repoNames: workspace.repoNames,
        guide: await workspace.readGuide(sandbox),
        canUseGit: canUseGit(assignment),
      }),
      session,
      workDir: workspace.workDir,
      stateDir: workspace.stateDir,
      gateway: { url: offered.gatewayUrl, token },
      tools: [{ name: 'skein', url: `http://127.0.0.1:${parts.front.port}/tools`, token }],
      sandbox,
      variables: assignment.environment.variables,
    })
    return new Desk({
      fingerprint,
      token,
      sandbox,
      program,
      snapshot,
      hasConversation: session !== undefined,
    })
  } catch (error) {
    await sandbox.dispose()
    throw error
  } finally {
    request.signal.removeEventListener('abort', end)
  }
}

/** With a door of its own to the front, which goes with it. */
async function createSandbox({
  parts,
  assignment,
  workspace,
  offered,
  provider,
  reporter,
}: DeskRequest): Promise<Sandbox> {
  const { network: policy } = assignment.environment
  const isLax = parts.offers.networkOf(provider.level, policy).gap !== ''
  if (isLax) {
    const message = `The network policy ${policy} is not enforced: agents here use the network of the runner’s host.`
    reporter.add({ type: 'run.progressed', message })
  }
  const network = isLax ? 'host' : policy
  const door = await parts.doors.openDoor({ isOnPort: provider.level === 'process' || network === 'host' })
  try {
    const sandbox = await provider.create({
      id: workspace.names.hash,
      workDir: workspace.workRoot,
      stateDir: workspace.stateDir,
      readOnlyPaths: [...workspace.readOnlyPaths, ...(await offered.backend.programPaths())],
      network,
      front: door.address,
      limits: { ...parts.limits, memoryMib: assignment.limits.memoryMib },
    })
    return {
      level: sandbox.level,
      spec: sandbox.spec,
      spawn: (command) => sandbox.spawn(command),
      dispose: async () => {
        try {
          await sandbox.dispose()
        } finally {
          await door.close()
        }
      },
    }
  } catch (error) {
    await door.close()
    throw error
  }
}

function canUseGit({ environment }: Assignment): boolean {
  return environment.network !== 'none'
}

async function prepare({ workspace, assignment, reporter }: DeskRequest, sandbox: Sandbox): Promise<void> {
  // Recorded before the client hears that its push has landed, so that no push goes unrecorded.
  const onPush = async ({ url, ref, commit, files }: Push): Promise<void> => {
    reporter.add({ type: 'run.pushed', repo: url, ref, commit, files: [...files] })
    await reporter.flush()
  }
  await workspace.prepare(sandbox, { canUseGit: canUseGit(assignment), onPush })
  const { setupScript, variables, secrets } = assignment.environment
  if (setupScript === '') return
  const setup = { script: setupScript, variables, secrets, timeoutMs: SETUP_TIMEOUT_MS }
  const outcome = await workspace.runSetup(sandbox, setup)
  if (!outcome) return
  reporter.add({ type: 'run.tool-called', tool: 'set-up', input: setupScript, output: outcome.output })
  if (outcome.status !== 'done') throw new SetupFailed(`The set-up script failed: ${outcome.output}`)
}

async function restore(
  { parts, assignment, workspace, reporter }: DeskRequest,
  sandbox: Sandbox,
  saved: SavedSession,
): Promise<SessionRef | undefined> {
  const { session } = saved
  if (session.backend !== assignment.backend) return undefined
  const key = blobKeyOf(workspace.names.hash, saved)
  const outcome = await restoreSession({ sandbox, store: parts.blobs, key, session })
  if (outcome.isDone) return session
  reporter.add({
    type: 'run.progressed',
    message: `The conversation could not be restored: ${outcome.reason}`,
  })
  return undefined
}

function settingsOf({ model, reasoningEffort, serviceTier, fastMode, outputSchema }: Assignment) {
  return {
    model,
    effort: reasoningEffort,
    tier: serviceTier,
    fastMode,
    outputSchema: parseSchema(outputSchema),
  }
}

/** A program can go on with another turn only if all of this is the same. */
function fingerprintOf(assignment: Assignment): string {
  const { backend, model, reasoningEffort, serviceTier, fastMode, outputSchema, prompt } = assignment
  const { environment, sandbox, limits, repos } = assignment
  const facts = [backend, model, reasoningEffort, serviceTier, fastMode, outputSchema, prompt]
  const place = [
    environment.network,
    environment.variables,
    sandbox,
    limits.memoryMib,
    repos.map(({ url }) => url),
  ]
  return createHash('sha256')
    .update(JSON.stringify([...facts, ...place]))
    .digest('hex')
}

function parseSchema(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text === '') return undefined
  const schema: unknown = JSON.parse(text)
  return typeof schema === 'object' && schema !== null ? { ...schema } : undefined
}
