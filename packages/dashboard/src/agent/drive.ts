import type { Agent } from '@skein/client'
import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { toastError, toastSuccess } from '../ui/toasts.tsx'

/** What it takes to act on the agent; views without it only show. */
export interface Drive {
  readonly agent: Agent
  /** Reads the status again, because something was changed. */
  readonly refresh: () => void
}

interface Told<Answer> {
  readonly done?: string | ((answer: Answer) => string)
  readonly onDone?: () => void
  /** The failure is shown where the change is asked for. A dialog hides everything behind it. */
  readonly isErrorShown?: boolean
}

/** One change of the agent, with its success and failure told in passing. */
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
