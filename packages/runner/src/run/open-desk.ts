import { createHash } from 'node:crypto'
import type { Assignment } from '@skein/contract'
import type { SessionRef } from '../backends/backend.ts'
import { AgentSaves } from '../blobs/agent-saves.ts'
import { mintToken } from '../front/front.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { restoreSession } from '../workspace/session-files.ts'
import { Desk } from './desk.ts'
import type { DeskRequest } from './desk-request.ts'
import { buildInstructions } from './instructions.ts'
import { canResume, canUseGit, prepareSandbox } from './prepare-sandbox.ts'
import { inStep } from './run-spans.ts'
import { fingerprintSecrets } from './run-secrets.ts'
import type { SavedSession } from './saved-session.ts'

/** The agent exceeded its disk limit before its turn could start. */
export class LimitBreached extends Error {}

/**
 * The agent's desk from its last turn if it still fits, otherwise a new one with workspace and conversation
 * restored.
 */
export async function openDesk(request: DeskRequest): Promise<Desk> {
  const { parts, assignment, workspace, offered, saved } = request
  const fingerprint = fingerprintOf(assignment)
  const snapshot = saved?.snapshot ?? ''
  const warm = await parts.desks.take(workspace.names.hash, { fingerprint, snapshot })
  if (warm && (await canResume(request, warm))) return warm
  // All sandboxes to end if the run must end immediately.
  const open = new Set<Sandbox>()
  const end = (): void => {
    for (const sandbox of open) void sandbox.dispose()
  }
  request.signal.addEventListener('abort', end, { once: true })
  try {
    const sandbox = await prepareSandbox(request, (made) => {
      open.add(made)
      if (request.signal.aborted) end()
    })
    const session = saved && (await inStep('restore conversation', () => restore(request, sandbox, saved)))
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
      hideSecrets: request.redactor.redact,
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
    for (const sandbox of open) await sandbox.dispose()
    throw explain(error, open)
  } finally {
    request.signal.removeEventListener('abort', end)
  }
}

/** After a breach ended everything, any error is a consequence of it. */
function explain(error: unknown, opened: ReadonlySet<Sandbox>): unknown {
  const breach = [...opened].map((sandbox) => sandbox.findBreach()).find((reason) => reason !== '')
  return breach === undefined ? error : new LimitBreached(breach)
}

async function restore(
  { parts, assignment, workspace, reporter }: DeskRequest,
  sandbox: Sandbox,
  saved: SavedSession,
): Promise<SessionRef | undefined> {
  const { session } = saved
  if (session.backend !== assignment.backend) return undefined
  const key = new AgentSaves(parts.blobs, workspace.names.hash).keyOf(saved.snapshot)
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

/** A program can only execute another turn if all of this is unchanged. */
function fingerprintOf(assignment: Assignment): string {
  const { backend, model, reasoningEffort, serviceTier, fastMode, outputSchema, prompt } = assignment
  const { environment, sandbox, limits, repos } = assignment
  const facts = [backend, model, reasoningEffort, serviceTier, fastMode, outputSchema, prompt]
  const place = [
    environment.network,
    environment.variables,
    sandbox,
    [limits.cpus, limits.memoryMib, limits.diskMib, limits.processes],
    repos.map(({ url }) => url),
    fingerprintSecrets(assignment),
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
