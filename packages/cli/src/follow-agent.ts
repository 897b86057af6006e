import type { Agent, TimelineEvent } from '@skein/client'
import { isAtRest } from '@skein/contract/facts'
import type { CommandContext } from './command-line/command-context.ts'
import { EventNarrator } from './output/event-lines.ts'
import { reportOutcome } from './output/outcome.ts'

export interface FollowOptions {
  /** Skips earlier incarnations. */
  readonly isNew?: boolean
  readonly after?: string
}

/** Prints what the agent says and does until it ends or rests. Returns its phase. */
export async function followAgent(
  context: CommandContext,
  agent: Agent,
  { isNew = false, after }: FollowOptions = {},
): Promise<string> {
  const past: TimelineEvent[] = []
  for await (const event of agent.timeline({ ...(after !== undefined && { after }) })) past.push(event)
  const start = isNew ? past.findLastIndex(({ type }) => type === 'agent.spawned') : 0
  const shown = past.slice(Math.max(start, 0))
  const narrator = new EventNarrator(context.io)
  let branch = ''
  for (const event of shown) {
    branch = branchOf(event) ?? branch
    printEvent(context, narrator, event)
  }
  const last = past.at(-1)?.sequence ?? after
  let phase = shown.findLast((event) => event.type === 'agent.phase-changed')?.to
  // No event changed the phase, so ask for the current one.
  if (phase === undefined && !isNew) phase = (await agent.status()).phase
  if (phase === undefined || !isAtRest(phase)) {
    for await (const event of agent.watch({ ...(last !== undefined && { after: last }) })) {
      branch = branchOf(event) ?? branch
      printEvent(context, narrator, event)
      if (event.type === 'agent.phase-changed' && isAtRest(event.to)) break
    }
  }
  const status = await agent.status()
  if (!context.isJson) context.io.print(reportOutcome(context.io, status, branch))
  return status.phase
}

export function printEvent(context: CommandContext, narrator: EventNarrator, event: TimelineEvent): void {
  context.printLine(event, () => narrator.tell(event))
}

function branchOf(event: TimelineEvent): string | undefined {
  return event.type === 'run.pushed' ? event.ref.replace(/^refs\/heads\//, '') : undefined
}
