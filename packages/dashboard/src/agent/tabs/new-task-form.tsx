import type { Task } from '@skein/client'
import { useState, type SubmitEvent } from 'react'
import { useSendOnce } from '../../session/use-send-once.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { useChange, type Drive } from '../drive.ts'
import { isOpen } from '../task-states.ts'

const EMPTY = { subject: '', description: '', blockedBy: '' }

export function NewTaskForm({ tasks, drive }: { readonly tasks: readonly Task[]; readonly drive: Drive }) {
  const [fields, setFields] = useState(EMPTY)
  const sendOnce = useSendOnce()
  const create = useChange(
    drive,
    () => {
      const { subject, description, blockedBy } = fields
      const task = { subject, description, ...(blockedBy !== '' && { blockedBy: [blockedBy] }) }
      return sendOnce(task, ({ idempotencyKey }) => drive.agent.createTasks([task], { idempotencyKey }))
    },
    { done: 'Task added.', onDone: () => setFields(EMPTY), isErrorShown: true },
  )
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    create.mutate()
  }
  const choices = [
    { value: '', label: 'Nothing' },
    ...tasks.filter(isOpen).map(({ id, subject }) => ({ value: id, label: subject.slice(0, 80) })),
  ]
  return (
    <Card title="Add a task">
      <form onSubmit={submit} className="flex flex-col gap-3 p-4">
        <TextField
          label="New task"
          required
          maxLength={500}
          value={fields.subject}
          onChange={({ target }) => setFields({ ...fields, subject: target.value })}
        />
        <TextArea
          label="Context"
          rows={2}
          value={fields.description}
          onChange={({ target }) => setFields({ ...fields, description: target.value })}
        />
        {create.isError && <ErrorNotice error={create.error} />}
        <div className="flex flex-wrap items-end justify-between gap-3">
          <SelectField
            label="Blocked by"
            choices={choices}
            value={fields.blockedBy}
            onChange={({ target }) => setFields({ ...fields, blockedBy: target.value })}
          />
          <Button type="submit" look="primary" isBusy={create.isPending}>
            Add task
          </Button>
        </div>
      </form>
    </Card>
  )
}
