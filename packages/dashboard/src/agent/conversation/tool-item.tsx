import { ChevronRight, Wrench } from 'lucide-react'
import type { TimelineEventRunToolCalled } from '@skein/client'
import { useMemo } from 'react'
import { sequenceOf } from '../../live/timeline-events.ts'
import { classNames } from '../../ui/class-names.ts'
import { DiffView } from '../../ui/text/diff-view.tsx'
import { TextBlock } from '../../ui/text/text-block.tsx'
import { EventPlace } from './event-place.tsx'
import { readFileChanges } from './file-changes.ts'
import type { ToolGroup } from './items.ts'
import type { OpenItems } from './open-items.ts'
import { prettify, summarizeInput, summarizeTools, toolName } from './tool-text.ts'

/** Consecutive calls, collapsed into one line. Each expands to its input and result. */
export function ToolItem({
  item,
  opened,
  highlighted,
}: {
  readonly item: ToolGroup
  readonly opened: OpenItems
  readonly highlighted: number | undefined
}) {
  const [first] = item.calls
  if (item.calls.length === 1 && first !== undefined) {
    return (
      <div className="rounded-lg border border-line bg-surface">
        <ToolCall call={first} opened={opened} isHighlighted={false} />
      </div>
    )
  }
  const isOpen = opened.isOpen(item.sequence)
  const failures = item.calls.filter(({ failed }) => failed).length
  return (
    <div className="rounded-lg border border-line bg-surface">
      <Toggle isOpen={isOpen} onToggle={() => opened.toggle(item.sequence)}>
        <Wrench size={14} aria-hidden className="shrink-0 text-muted" />
        <span className="shrink-0 font-medium">{item.calls.length} tool calls</span>
        <span className="min-w-0 truncate text-muted">
          {summarizeTools(item.calls.map(({ tool }) => tool))}
        </span>
        {failures > 0 && <Failed text={`${failures} failed`} />}
      </Toggle>
      {isOpen && (
        <ol className="border-t border-line">
          {item.calls.map((call) => (
            <li key={call.sequence} className="border-line not-last:border-b">
              <ToolCall call={call} opened={opened} isHighlighted={sequenceOf(call) === highlighted} />
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

function ToolCall({
  call,
  opened,
  isHighlighted,
}: {
  readonly call: TimelineEventRunToolCalled
  readonly opened: OpenItems
  readonly isHighlighted: boolean
}) {
  const key = -sequenceOf(call)
  const isOpen = opened.isOpen(key)
  return (
    <div className={classNames('group/item min-w-0', isHighlighted && 'bg-accent-soft')}>
      <div className="flex items-center gap-2 pr-3">
        <Toggle isOpen={isOpen} onToggle={() => opened.toggle(key)}>
          <span className="max-w-40 shrink-0 truncate font-medium" title={call.tool}>
            {toolName(call.tool)}
          </span>
          <code className="min-w-0 truncate text-muted">{summarizeInput(call.input)}</code>
          {call.failed && <Failed text="failed" />}
        </Toggle>
        <EventPlace sequence={sequenceOf(call)} time={call.time} />
      </div>
      {isOpen && (
        <div className="flex flex-col gap-2 px-3 pb-3">
          <Input call={call} />
          <TextBlock label={call.failed ? 'Error' : 'Output'} text={prettify(call.output)} />
        </div>
      )}
    </div>
  )
}

function Failed({ text }: { readonly text: string }) {
  return <span className="shrink-0 font-medium text-failed">{text}</span>
}

/** File changes are shown as a diff, everything else as sent. */
function Input({ call }: { readonly call: TimelineEventRunToolCalled }) {
  const changes = useMemo(() => readFileChanges(call.tool, call.input), [call])
  if (changes === undefined) return <TextBlock label="Input" text={prettify(call.input)} />
  return changes.map(({ path, before, after }, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- an event never changes
    <DiffView key={index} label={path} before={before} after={after} />
  ))
}

function Toggle({
  isOpen,
  onToggle,
  children,
}: {
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly children: React.ReactNode
}) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="flex min-w-0 flex-1 items-center gap-2 px-3 py-2 text-left text-xs"
    >
      <ChevronRight
        size={14}
        aria-hidden
        className={classNames('shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
      />
      {children}
    </button>
  )
}
