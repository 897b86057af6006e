import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import type { Installation } from '../installation/install.ts'

const WATCH_MS = 1_500

/**
 * Kills every server at a moment when a run has been claimed but has not started. That moment is so short that random
 * kills rarely hit it. Returns how many servers were killed.
 */
export async function killClaimingServers({ postgres, servers }: Installation): Promise<number> {
  const owner = new Client({ connectionString: postgres.url() })
  owner.on('error', () => {})
  try {
    await owner.connect()
    const until = performance.now() + WATCH_MS
    while (performance.now() < until) {
      if (await hasClaim(owner)) return servers.filter((server) => server.kill()).length
      await pause(1)
    }
  } catch {
    // PostgreSQL is still recovering from an earlier fault.
  } finally {
    await owner.end().catch(() => {})
  }
  return 0
}

async function hasClaim(owner: Client): Promise<boolean> {
  const { rowCount } = await owner.query(
    `select 1 from run r join agent a on a.id = r.agent_id
     where r.is_leased and a.state->'run'->>'state' = 'queued' limit 1`,
  )
  return rowCount === 1
}
