import type { FleetEntry } from '@skein/client'

export interface Words {
  readonly kind: 'asks' | 'pending' | 'failed' | 'says' | 'task'
  readonly text: string
}

/**
 * Precedence: question, what holds the agent up, error, last message. An agent that has said nothing shows its task.
 */
export function pickWords(
  entry: Pick<FleetEntry, 'needsInput' | 'pendingReason' | 'errorMessage' | 'lastMessage' | 'description'>,
): Words {
  if (entry.needsInput !== '') return { kind: 'asks', text: entry.needsInput }
  if (entry.pendingReason !== '') return { kind: 'pending', text: entry.pendingReason }
  if (entry.errorMessage !== '') return { kind: 'failed', text: entry.errorMessage }
  if (entry.lastMessage !== '') return { kind: 'says', text: entry.lastMessage }
  return { kind: 'task', text: entry.description }
}
