import type { Agent, TimelineEvent } from '@skein/client'
import { isAtRest } from '@skein/contract/facts'
import type { CommandContext } from './command-line/command-context.ts'
import { EventNarrator } from './output/event-lines.ts'
import { reportOutcome } from './output/outcome.ts'

export interface FollowOptions {
  /** Leaves out the lives before this one. */
  readonly isNew?: boolean
  readonly after?: string
}

/** Prints what the agent says and does until it rests or has ended, and answers with the phase it is then in. */
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
  // Nothing that changes the phase was in what was asked for: the record says where it stands.
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
