import type { AgentStatus } from '@skein/client'
import { Play } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { useContinue } from '../../../agent/use-continue.ts'
import { ComposerBox } from './composer-box.tsx'
import type { ComposerProps } from './composer.tsx'
import { MessageField } from './message-field.tsx'

const ENDINGS: Partial<Record<AgentStatus['phase'], string>> = {
  PHASE_COMPLETED: 'This agent has completed.',
  PHASE_FAILED: 'This agent has failed.',
  PHASE_CANCELED: 'This agent was killed.',
}

export function ContinueComposer({ status, drive, hasAside, text, onType }: ComposerProps) {
  const resume = useContinue(drive, { onDone: () => onType('') })
  const submit = (): void => {
    if (text.trim() !== '' && !resume.isPending) resume.mutate(text)
  }
  return (
    <ComposerBox label="Continue the agent" hasAside={hasAside}>
      <MessageField
        label="Message"
        placeholder="Tell the agent what to do next…"
        text={text}
        isBusy={resume.isPending}
        onChange={onType}
        onSubmit={submit}
      />
      {resume.isError && <ErrorNotice error={resume.error} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <span className="mr-auto text-xs text-muted">
          {ENDINGS[status.phase]} A message continues it with its conversation, files and open tasks.
        </span>
        <Button look="primary" isBusy={resume.isPending} disabled={text.trim() === ''} onClick={submit}>
          <Play size={16} aria-hidden />
          Continue
        </Button>
      </div>
    </ComposerBox>
  )
}
