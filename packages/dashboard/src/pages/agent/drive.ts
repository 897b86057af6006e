import type { Agent } from '@skein/client'
import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { toastError, toastSuccess } from '../../ui/toasts.tsx'

/** What it takes to act on the agent; views without it only show. */
export interface Drive {
  readonly agent: Agent
  /** Reads the status again, because something was changed. */
  readonly refresh: () => void
}

/** One change of the agent, with its success and failure told in passing. */
export function useChange<Input = void, Answer = unknown>(
  { refresh }: Drive,
  change: (input: Input) => Promise<Answer>,
  {
    done,
    onDone,
  }: { readonly done?: string | ((answer: Answer) => string); readonly onDone?: () => void } = {},
): UseMutationResult<Answer, unknown, Input> {
  return useMutation<Answer, unknown, Input>({
    mutationFn: change,
    onSuccess: (answer) => {
      if (done !== undefined) toastSuccess(typeof done === 'string' ? done : done(answer))
      onDone?.()
    },
    onError: toastError,
    onSettled: refresh,
  })
}
