import { isTerminal, type AgentStatus } from '@skein/client'
import { useState, type SubmitEvent } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/field.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { useChange, type Drive } from '../../../agent/drive.ts'

export function BudgetButton({ status, drive }: { readonly status: AgentStatus; readonly drive: Drive }) {
  const [isOpen, setIsOpen] = useState(false)
  const [dollars, setDollars] = useState('')
  const change = useChange(drive, (maxCost: number) => drive.agent.setBudget(maxCost), {
    done: ({ resumed }) => (resumed === 0 ? 'Budget set.' : `Budget set; ${resumed} agents continue.`),
    onDone: () => setIsOpen(false),
    isErrorShown: true,
  })
  if (isTerminal(status.phase)) return null
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    change.mutate(Number(dollars))
  }
  return (
    <>
      <button
        type="button"
        className="text-accent-text underline"
        onClick={() => {
          setDollars(String(status.maxCost))
          change.reset()
          setIsOpen(true)
        }}
      >
        {status.maxCost === 0 ? 'Set a budget' : 'Change'}
        {status.maxCost !== 0 && <span className="sr-only"> the budget</span>}
      </button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        title="Budget"
        description="Covers the agent and all its descendants. They go idle when it is used up."
      >
        <form onSubmit={submit} className="flex flex-col gap-4">
          <TextField
            label="US dollars"
            type="number"
            min={0}
            max={1_000_000}
            step="any"
            required
            autoFocus
            value={dollars}
            hint="0 removes the budget."
            onChange={({ target }) => setDollars(target.value)}
          />
          {change.isError && <ErrorNotice error={change.error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={() => setIsOpen(false)}>Cancel</Button>
            <Button type="submit" look="primary" isBusy={change.isPending}>
              Save
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
