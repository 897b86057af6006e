import type { ReplayDeliveriesRequest, ReplayDeliveriesResponse } from '@skein/client'
import { skein } from '../../../session/skein.ts'
import { toastSuccess } from '../../../ui/toasts.tsx'
import { refreshAutomations } from '../automation-queries.ts'
import { useAct } from '../use-act.tsx'

type Wanted = Pick<
  ReplayDeliveriesRequest,
  'agentId' | 'firstSequence' | 'lastSequence' | 'sinceTime' | 'deadLetters'
>

/** Sends events again. */
export function useReplay(name: string) {
  return useAct({
    question: `Send events to ${name} again?`,
    confirmLabel: 'Replay',
    act: (wanted: Wanted, options) => skein.integrations.replay(name, wanted, options),
    onDone: ({ agents }: ReplayDeliveriesResponse) => {
      toastSuccess(describeReplay(agents))
      refreshAutomations()
    },
  })
}

function describeReplay(agents: number): string {
  if (agents === 0) return 'Nothing to replay.'
  return agents === 1
    ? 'Replaying events of one agent.'
    : `Replaying events of ${agents.toLocaleString('en')} agents.`
}
