import type { FleetFilter } from '@skein/client'
import type { FleetSource } from '../live/fleet-store.ts'
import { NewsDesk } from './agent-news.ts'
import type { News } from './news.ts'

/** The caller's own agents. */
const OWN: FleetFilter = { includeTerminal: true }
const LIVE: FleetFilter = {}
const RESTART_MS = 5_000

/** Reports news of the caller's own agents until it is aborted. */
export async function watchNews(
  source: FleetSource,
  signal: AbortSignal,
  onNews: (news: News) => void,
): Promise<void> {
  const desk = new NewsDesk()
  while (!signal.aborted) {
    try {
      // The list is read after the cursor, so nothing in between is missed.
      const { cursor } = await source.listFleet({ ...OWN, pageSize: 1, signal })
      const { entries } = await source.listFleet({ ...LIVE, signal })
      for (const entry of entries) desk.learn(entry)
      const options = { after: cursor, signal, reconnectForMs: Infinity }
      for await (const { entry } of source.watchFleet(OWN, options)) {
        for (const news of desk.read(entry)) onNews(news)
      }
    } catch {
      // Signed out, or the cursor is too old. The pages show what is wrong; this starts over.
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RESTART_MS))
    }
  }
}
