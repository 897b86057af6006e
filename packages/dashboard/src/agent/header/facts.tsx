import type { AgentStatus } from '@skein/client'
import type { ReactNode } from 'react'
import { formatCount, formatMoney } from '../../format/money.ts'
import { Ago, Lasting } from '../../ui/time.tsx'
import { describeEndReason } from '../end-reasons.ts'
import { BudgetBar } from './budget-bar.tsx'

/** One line of small facts about the agent. */
export function Facts({
  status,
  budgetAction,
}: {
  readonly status: AgentStatus
  readonly budgetAction?: ReactNode
}) {
  const { cost, treeCost, maxCost, model, persona, reasoningEffort, totalTokens, progressAt } = status
  const hasTreeCost = Math.abs(treeCost - cost) > 1e-9
  return (
    <dl className="flex flex-wrap items-center gap-x-5 gap-y-1 text-xs">
      <Fact label="Run">
        <RunFact status={status} />
      </Fact>
      <Fact label="Cost">
        <span title={`${formatCount(totalTokens)} tokens`}>{formatMoney(cost)}</span>
        {hasTreeCost && <span className="text-muted">{formatMoney(treeCost)} with children</span>}
      </Fact>
      <Fact label="Budget">
        <BudgetBar treeCost={treeCost} maxCost={maxCost} />
        {budgetAction}
      </Fact>
      <Fact label="Model" className="max-sm:hidden">
        <span className="max-w-56 truncate" title={model}>
          {[model, reasoningEffort].filter((part) => part !== '').join(' · ')}
        </span>
      </Fact>
      <Fact label="Persona" className="max-sm:hidden">
        <span className="max-w-40 truncate" title={persona}>
          {persona === '' ? '–' : persona}
        </span>
      </Fact>
      <Fact label="Progress" className="max-sm:hidden">
        <Ago time={progressAt} />
      </Fact>
    </dl>
  )
}

function RunFact({ status: { run, runCount } }: { readonly status: AgentStatus }) {
  if (runCount === '0') return <span className="text-muted">none yet</span>
  if (run.state === 'RUN_STATE_QUEUED') return <span>{run.runId}, queued</span>
  return (
    <span>
      {run.runId}
      {run.attempt > 1 && `, attempt ${run.attempt}`} · <Lasting from={run.startTime} to={run.endTime} />
      {run.endReason !== '' && <span className="text-muted"> {describeEndReason(run.endReason)}</span>}
    </span>
  )
}

function Fact({
  label,
  children,
  className,
}: {
  readonly label: string
  readonly children: ReactNode
  readonly className?: string
}) {
  return (
    <div className={`flex min-w-0 items-center gap-1.5 ${className ?? ''}`}>
      <dt className="text-muted">{label}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-2 font-medium tabular-nums">{children}</dd>
    </div>
  )
}
