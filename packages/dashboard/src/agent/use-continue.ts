import type { UseMutationResult } from '@tanstack/react-query'
import { useSendOnce } from '../session/use-send-once.ts'
import { useChange, type Drive } from './drive.ts'

/** Starts the next life of an agent that has ended, in the same conversation. A failure is shown by the caller. */
export function useContinue(
  drive: Drive,
  { onDone }: { readonly onDone?: () => void } = {},
): UseMutationResult<unknown, unknown, string> {
  const sendOnce = useSendOnce()
  return useChange(
    drive,
    (text: string) => sendOnce(text, ({ idempotencyKey }) => drive.agent.continue(text, { idempotencyKey })),
    { done: 'The agent continues.', isErrorShown: true, ...(onDone !== undefined && { onDone }) },
  )
}
