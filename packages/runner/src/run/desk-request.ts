import type { Assignment } from '@skein/contract'
import type { OfferedBackend } from '../backends/offered-backend.ts'
import type { Push } from '../git-front/git-front.ts'
import type { SandboxProvider } from '../sandbox/sandbox.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { AgentWorkspace } from '../workspace/agent-workspace.ts'
import type { PushDiffs } from '../diffs/push-diffs.ts'
import type { RunnerParts } from './parts.ts'
import type { RunReporter } from './run-reporter.ts'
import type { SavedSession } from './saved-session.ts'

/** Everything needed to open an agent's desk. */
export interface DeskRequest {
  readonly parts: RunnerParts
  readonly assignment: Assignment
  readonly workspace: AgentWorkspace
  readonly offered: OfferedBackend
  readonly provider: SandboxProvider
  readonly saved: SavedSession | undefined
  readonly reporter: RunReporter
  readonly diffs: PushDiffs
  readonly redactor: Redactor
  /** After the push was reported. */
  readonly onPushed: (push: Push) => void
  /** Ends whatever is running in the sandbox. */
  readonly signal: AbortSignal
}
