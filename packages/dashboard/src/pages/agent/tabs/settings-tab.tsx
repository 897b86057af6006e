import type { AgentStatus, TimelineEvent } from '@skein/client'
import type { ReactNode } from 'react'
import { formatCount, formatMoney } from '../../../format/money.ts'
import { Card } from '../../../ui/card.tsx'
import { CodeBlock } from '../../../ui/copy-button.tsx'
import { Markdown } from '../../../ui/text/markdown.tsx'
import { Ago } from '../../../ui/time.tsx'
import { prettify } from '../../../agent/conversation/tool-text.ts'
import { SettingChanges } from './setting-changes.tsx'
import { TabPage } from '../../../agent/tab-page.tsx'

export function SettingsTab({
  status,
  events,
}: {
  readonly status: AgentStatus
  readonly events: readonly TimelineEvent[]
}) {
  const { description, expectedOutput, outputSchema, output, lastMessage } = status
  return (
    <TabPage label="Settings">
      <Card title="Active settings">
        <dl className="grid gap-x-6 gap-y-2 p-4 text-sm sm:grid-cols-2">
          <ActiveSettings status={status} />
        </dl>
        <p className="border-t border-line px-4 py-2.5 text-xs text-muted">
          A message can override persona, model, effort, tier, fast mode and output schema, from its run on.
        </p>
      </Card>
      <SettingChanges events={events} />
      <TextCard title="Task" text={description} />
      {expectedOutput !== '' && <TextCard title="Expected result" text={expectedOutput} />}
      {outputSchema !== '' && <CodeBlock label="Output schema" text={prettify(outputSchema)} />}
      {output !== '' && <CodeBlock label="Structured output of the last run" text={prettify(output)} />}
      {lastMessage !== '' && <TextCard title="Last message" text={lastMessage} />}
      <Card title="About">
        <dl className="grid gap-x-6 gap-y-2 p-4 text-sm sm:grid-cols-2">
          <About status={status} />
        </dl>
      </Card>
    </TabPage>
  )
}

function ActiveSettings({ status }: { readonly status: AgentStatus }) {
  return (
    <>
      <Fact name="Persona" value={status.persona} />
      <Fact name="Backend" value={status.backend} />
      <Fact name="Model" value={status.model} />
      <Fact name="Effort" value={status.reasoningEffort} />
      <Fact name="Tier" value={status.serviceTier} />
      <Fact name="Fast mode" value={status.fastMode ? 'on' : 'off'} />
      <Fact name="Budget" value={status.maxCost === 0 ? 'none' : formatMoney(status.maxCost)} />
      <Fact name="Output schema" value={status.outputSchema === '' ? 'none' : 'see below'} />
    </>
  )
}

function About({ status }: { readonly status: AgentStatus }) {
  const { labels, repos, inputTokens, cachedInputTokens, outputTokens } = status
  const entries = Object.entries(labels)
  return (
    <>
      <Fact name="Spawned" value={<Ago time={status.createTime} />} />
      <Fact name="Ended" value={<Ago time={status.endTime} />} />
      <Fact name="Repositories" value={repos.join(', ')} />
      <Fact name="Runner version" value={status.build} />
      <Fact
        name="Tokens"
        value={`${formatCount(inputTokens)} in (${formatCount(cachedInputTokens)} cached), ${formatCount(outputTokens)} out`}
      />
      <Fact
        name="Labels"
        value={
          entries.length === 0 ? (
            ''
          ) : (
            <span className="flex flex-wrap gap-1.5">
              {entries.map(([name, value]) => (
                <code key={name} className="rounded bg-raised px-1.5 py-0.5 break-all">
                  {name}={value}
                </code>
              ))}
            </span>
          )
        }
      />
    </>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  return (
    <div className="flex min-w-0 gap-3">
      <dt className="w-32 shrink-0 text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{value === '' ? '–' : value}</dd>
    </div>
  )
}

function TextCard({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <Card title={title}>
      <div className="p-4">
        <Markdown text={text} />
      </div>
    </Card>
  )
}
