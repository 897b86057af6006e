import { setTimeout as pause } from 'node:timers/promises'
import { startPostgresServer } from '@skein/testkit'
import { prepareDatabase } from '../crash/installation/database.ts'
import type { Drill, DrillSettings, Figures } from './drill.ts'
import { installAround } from './installation.ts'
import { underLoad } from './load.ts'
import { HAPROXY } from './needs.ts'
import { startPooler } from './pgbouncer-program.ts'
import { measureWakeUps } from './wake-ups.ts'

const LOAD_MS = 30_000
/** Without notifications, servers look every five seconds. */
const WAKE_UP_MS = 1_000

export const pgbouncer: Drill = {
  summary:
    'servers reach the database through PgBouncer in transaction mode: no request fails, wake-ups arrive',
  needs: [HAPROXY],
  planted: 'no SKEIN_LISTEN_DATABASE_URL',
  async run(settings) {
    const postgres = await startPostgresServer({ durable: true })
    try {
      return await loadThroughPooler(settings, postgres.url())
    } finally {
      await postgres.stop()
    }
  },
}

async function loadThroughPooler(settings: DrillSettings, ownerUrl: string): Promise<Figures> {
  const { root, report, isPlanted } = settings
  const database = { ...(await prepareDatabase(ownerUrl, root)), ownerUrl }
  const pooler = await startPooler(settings, database.serverUrl)
  const env = isPlanted ? {} : { SKEIN_LISTEN_DATABASE_URL: database.serverUrl }
  const installation = await installAround(settings, { ...database, serverUrl: pooler.url }, { env })
  try {
    const wakeUps = await measureWakeUps(installation)
    const late = wakeUps.medianMs > WAKE_UP_MS ? [`the median took ${wakeUps.medianMs} ms`] : []
    report.check('wrong', 'wake-ups are not late', 1, late)
    const figures = await underLoad(settings, installation, () => pause(LOAD_MS))
    const problems = Number(figures['errors']) === 0 ? [] : [JSON.stringify(figures['failures'])]
    report.check('wrong', 'no request failed', Number(figures['requests']), problems)
    return { version: pooler.version, wakeUps, ...figures }
  } finally {
    await installation.stop()
    await pooler.program.end()
  }
}
