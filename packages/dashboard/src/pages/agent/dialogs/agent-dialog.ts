import type { AgentStatus } from '@skein/client'
import type { Drive } from '../../../agent/drive.ts'

/** What a dialog about an agent gets. */
export interface AgentDialogProps {
  readonly status: AgentStatus
  readonly drive: Drive
  readonly onClose: () => void
}
