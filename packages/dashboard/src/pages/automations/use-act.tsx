import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useMustJustify } from '../../catalog/justification-field.tsx'
import { JustifiedDialog } from '../../catalog/justified-dialog.tsx'
import { useSendOnce } from '../../session/use-send-once.ts'
import { toastError } from '../../ui/toasts.tsx'

/** For the call to the service. */
interface ActOptions {
  readonly idempotencyKey: string
  readonly justification?: string
}

interface Act<Input, Result> {
  /** Asked only of those who must say why. */
  readonly question: string
  readonly confirmLabel: string
  readonly act: (input: Input, options: ActOptions) => Promise<Result>
  readonly onDone: (result: Result, input: Input) => void
}

/** Something done with one click, except by operators, who must say why. */
export function useAct<Input, Result>({
  question,
  confirmLabel,
  act,
  onDone,
}: Act<Input, Result>): {
  readonly start: (input: Input) => void
  readonly isBusy: boolean
  readonly dialog: ReactNode
} {
  const mustJustify = useMustJustify()
  const sendOnce = useSendOnce()
  const [asked, setAsked] = useState<{ readonly input: Input }>()
  const send = (input: Input, justification: string): Promise<Result> =>
    sendOnce([input, justification], ({ idempotencyKey }) =>
      act(input, { idempotencyKey, ...(justification !== '' && { justification }) }),
    )
  const acting = useMutation({
    mutationFn: (input: Input) => send(input, ''),
    onSuccess: onDone,
    onError: toastError,
  })
  return {
    start: (input) => (mustJustify ? setAsked({ input }) : acting.mutate(input)),
    isBusy: acting.isPending,
    dialog: asked !== undefined && (
      <JustifiedDialog
        title={question}
        confirmLabel={confirmLabel}
        look="primary"
        write={(justification) => send(asked.input, justification.trim())}
        onDone={(result) => {
          setAsked(undefined)
          onDone(result, asked.input)
        }}
        onClose={() => setAsked(undefined)}
      />
    ),
  }
}
