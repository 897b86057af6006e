import type { Agent } from '@skein/client'
import type { Page } from 'playwright-core'

/** The numbers of all events of an agent, from the service. */
export async function readTimeline(agent: Agent): Promise<number[]> {
  const sequences: number[] = []
  for await (const { sequence } of agent.timeline()) sequences.push(Number(sequence))
  return sequences
}

/** The numbers of all rows on its page, read while scrolling, because rows out of sight are not there. */
export function readRows(page: Page): Promise<number[]> {
  return page.getByRole('region', { name: 'Messages and tool calls' }).evaluate(async (region) => {
    const rows = new Set<number>()
    for (let top = 0; top <= region.scrollHeight; top += 200) {
      region.scrollTop = top
      await new Promise(requestAnimationFrame)
      await new Promise(requestAnimationFrame)
      for (const row of region.querySelectorAll<HTMLElement>('[data-event]'))
        rows.add(Number(row.dataset['event']))
    }
    return [...rows].sort((one, other) => one - other)
  })
}
