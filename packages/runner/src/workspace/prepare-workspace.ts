import type { Sandbox } from '../sandbox/sandbox.ts'
import type { AgentWorkspace, RunAccess } from './agent-workspace.ts'
import type { SetupOutcome, SetupScript } from './run-setup.ts'

export interface WorkspacePlan {
  readonly access: Omit<RunAccess, 'needsSetup'>
  /** The environment's setup script, if any. */
  readonly setup: SetupScript | undefined
  readonly makeSandbox: () => Promise<Sandbox>
}

export interface PreparedWorkspace {
  readonly sandbox: Sandbox
  /** Undefined if no script had to run. */
  readonly outcome: SetupOutcome | undefined
}

/**
 * Prepares the agent's folder, on any host and however the last run left it, and opens its sandbox. A setup script
 * runs in a folder and sandbox that contain nothing from the agent.
 */
export async function prepareWorkspace(
  workspace: AgentWorkspace,
  { access, setup, makeSandbox }: WorkspacePlan,
): Promise<PreparedWorkspace> {
  let sandbox = await makeSandbox()
  const run = { ...access, needsSetup: setup !== undefined }
  try {
    if (await workspace.resume(sandbox, run)) return { sandbox, outcome: undefined }
    if (setup) {
      await sandbox.dispose()
      await workspace.clear()
      sandbox = await makeSandbox()
    }
    return { sandbox, outcome: await workspace.create(sandbox, run, setup) }
  } catch (error) {
    await sandbox.dispose()
    throw error
  }
}
