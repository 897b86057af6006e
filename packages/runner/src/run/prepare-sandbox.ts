import type { Assignment } from '@skein/contract'
import type { Push } from '../git-front/git-front.ts'
import { canHide } from '../secrets/secret-forms.ts'
import type { Sandbox, SandboxLimits } from '../sandbox/sandbox.ts'
import { prepareWorkspace } from '../workspace/prepare-workspace.ts'
import type { SetupScript } from '../workspace/run-setup.ts'
import type { Desk } from './desk.ts'
import type { DeskRequest } from './desk-request.ts'
import type { RunnerParts } from './parts.ts'
import { inStep } from './run-spans.ts'

/** The environment's setup script failed. The message is its output. */
export class SetupFailed extends Error {}

const SETUP_TIMEOUT_MS = 1_800_000
const SETUP_MAX_BYTES = 20 * 1024 ** 3

/** Whether the desk's folder is unchanged. A desk that cannot be used is closed. */
export async function canResume(request: DeskRequest, desk: Desk): Promise<boolean> {
  let isReady = false
  try {
    const needsSetup = setupOf(request) !== undefined
    // It exceeded its limit after its turn: a new one has a chance to make room.
    if (desk.sandbox.findBreach() !== '') return false
    isReady = await request.workspace.resume(desk.sandbox, { ...accessOf(request), needsSetup })
    return isReady
  } finally {
    if (!isReady) await desk.close()
  }
}

/** A sandbox with the agent's folder ready. `onMade` is called for each one opened on the way. */
export async function prepareSandbox(
  request: DeskRequest,
  onMade: (sandbox: Sandbox) => void,
): Promise<Sandbox> {
  const { workspace, reporter, assignment } = request
  if (isLax(request)) {
    const { network } = assignment.environment
    const message = `The network policy ${network} is not enforced: agents here use the network of the runner’s host.`
    reporter.add({ type: 'run.progressed', message })
  }
  const makeSandbox = async (): Promise<Sandbox> => {
    const sandbox = await createSandbox(request)
    onMade(sandbox)
    return sandbox
  }
  const plan = { access: accessOf(request), setup: setupOf(request), makeSandbox }
  const { sandbox, outcome } = await inStep('prepare workspace', () => prepareWorkspace(workspace, plan))
  if (!outcome) return sandbox
  const { setupScript, secrets } = assignment.environment
  for (const name of Object.keys(secrets).filter((each) => !canHide(secrets[each] ?? '')))
    reporter.add({
      type: 'run.progressed',
      message: `${name} is too short to be redacted from reports.`,
    })
  const failed = outcome.status !== 'done'
  const call = { callId: 'set-up', tool: 'set-up', input: setupScript }
  reporter.add({ type: 'run.tool-called', ...call, output: outcome.output, failed })
  if (failed) throw new SetupFailed(`The setup script failed: ${outcome.output}`)
  return sandbox
}

export function canUseGit({ environment }: Assignment): boolean {
  return environment.network !== 'none'
}

/** With its own door to the front, closed together with it. */
async function createSandbox({
  parts,
  assignment,
  workspace,
  offered,
  provider,
}: DeskRequest): Promise<Sandbox> {
  const { network: policy } = assignment.environment
  const network = isLax({ parts, provider, assignment }) ? 'host' : policy
  const door = parts.doors.openDoor({ isOnPort: provider.level === 'process' || network === 'host' })
  try {
    const sandbox = await provider.create({
      id: workspace.names.hash,
      workDir: workspace.workRoot,
      stateDir: workspace.stateDir,
      readOnlyPaths: [...workspace.readOnlyPaths, ...(await offered.backend.programPaths())],
      network,
      front: door.address,
      limits: limitsOf(assignment, parts),
    })
    return {
      ...sandbox,
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

function limitsOf({ limits }: Assignment, { limits: most }: RunnerParts): SandboxLimits {
  const { cpus, memoryMib, diskMib } = limits
  const processes = limits.processes === 0 ? most.processes : Math.min(limits.processes, most.processes)
  return { ...most, cpus, memoryMib, diskMib, processes }
}

/** Whether agents may use the runner's own network if their policy cannot be enforced. */
function isLax({
  parts,
  provider,
  assignment,
}: Pick<DeskRequest, 'parts' | 'provider' | 'assignment'>): boolean {
  return parts.offers.networkOf(provider.level, assignment.environment.network).gap !== ''
}

function accessOf({ assignment, reporter, diffs, workspace, onPushed }: DeskRequest) {
  return {
    canUseGit: canUseGit(assignment),
    // Reported before the client is told that its push succeeded, so that no push goes unrecorded.
    onPush: async (push: Push): Promise<void> => {
      const { url, ref, commit, files } = push
      diffs.add(push, (pushed) => workspace.diffPush(pushed))
      reporter.add({ type: 'run.pushed', repo: url, ref, commit, files: [...files] })
      await reporter.flush()
      onPushed(push)
    },
  }
}

function setupOf({ assignment }: DeskRequest): SetupScript | undefined {
  const { setupScript: script, variables, secrets } = assignment.environment
  if (script === '') return undefined
  return { script, variables, secrets, timeoutMs: SETUP_TIMEOUT_MS, maxBytes: SETUP_MAX_BYTES }
}
