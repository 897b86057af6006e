import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { skein } from '../../../session/skein.ts'
import { Button } from '../../../ui/button.tsx'
import { toastError, toastSuccess } from '../../../ui/toasts.tsx'
import { refreshAutomations } from '../automation-queries.ts'

/** Sends a test event and says what the receiver answered. */
export function TestButton({ name, size }: { readonly name: string; readonly size?: 'small' }) {
  const test = useMutation({
    mutationFn: () => skein.integrations.test(name),
    onSuccess: ({ isDelivered, status, error, latencyMs }) => {
      if (isDelivered) toastSuccess(`${name} answered ${status} after ${latencyMs} ms.`)
      else toastError(new Error(`The test of ${name} failed: ${error}`))
    },
    onError: toastError,
    onSettled: refreshAutomations,
  })
  return (
    <Button size={size} isBusy={test.isPending} onClick={() => test.mutate()}>
      <Send size={14} aria-hidden /> {test.isPending ? 'Testing…' : 'Test'}
      <span className="sr-only"> {name}</span>
    </Button>
  )
}
