import type { Agent } from '@skein/client'
import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { toastError, toastSuccess } from '../ui/toasts.tsx'

/** What is needed to act on the agent. Views without it are read-only. */
export interface Drive {
  readonly agent: Agent
  /** Reads the status again after a change. */
  readonly refresh: () => void
}

interface Told<Answer> {
  readonly done?: string | ((answer: Answer) => string)
  readonly onDone?: () => void
  /** The caller shows the error itself: a dialog would hide a toast. */
  readonly isErrorShown?: boolean
}

/** A change to the agent, with toasts for success and failure. */
export function useChange<Input = void, Answer = unknown>(
  { refresh }: Drive,
  change: (input: Input) => Promise<Answer>,
  { done, onDone, isErrorShown = false }: Told<Answer> = {},
): UseMutationResult<Answer, unknown, Input> {
  return useMutation<Answer, unknown, Input>({
    mutationFn: change,
    onSuccess: (answer) => {
      if (done !== undefined) toastSuccess(typeof done === 'string' ? done : done(answer))
      onDone?.()
    },
    ...(!isErrorShown && { onError: toastError }),
    onSettled: refresh,
  })
}
