import type { UseMutationResult } from '@tanstack/react-query'
import { useSendOnce } from '../session/use-send-once.ts'
import { useChange, type Drive } from './drive.ts'

/** Continues an ended agent in the same conversation. The caller shows errors. */
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
