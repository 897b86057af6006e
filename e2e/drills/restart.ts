import { setTimeout as pause } from 'node:timers/promises'
import { startPostgresServer } from '@skein/testkit'
import { prepareDatabase } from '../crash/installation/database.ts'
import { untilReady } from '../crash/installation/install.ts'
import type { Drill, DrillSettings, Figures } from './drill.ts'
import { installAround, NOTICED_MS, type DrillInstallation } from './installation.ts'
import { underLoad } from './load.ts'
import { HAPROXY } from './needs.ts'

/** At least so many of both. */
const REQUESTS = 5_000
const RESTARTS = 6

export const restart: Drill = {
  summary: 'servers behind HAProxy are restarted one by one: no request fails',
  needs: [HAPROXY],
  planted: 'no SKEIN_SHUTDOWN_DELAY_MS',
  async run(settings) {
    const postgres = await startPostgresServer({ durable: true })
    try {
      return await restartUnderLoad(settings, postgres.url())
    } finally {
      await postgres.stop()
    }
  },
}

async function restartUnderLoad(settings: DrillSettings, ownerUrl: string): Promise<Figures> {
  const { root, report, isPlanted } = settings
  const database = { ...(await prepareDatabase(ownerUrl, root)), ownerUrl }
  const env = isPlanted ? { SKEIN_SHUTDOWN_DELAY_MS: '0' } : {}
  const installation = await installAround(settings, database, { env })
  try {
    let restarts = 0
    const figures = await underLoad(settings, installation, async ({ calls, signal }) => {
      while ((calls.sent < REQUESTS || restarts < RESTARTS) && !signal.aborted) {
        await restartServer(installation, restarts % installation.servers.length)
        restarts += 1
      }
    })
    const { requests, errors, failures } = figures
    const problems = Number(errors) === 0 ? [] : [JSON.stringify(failures)]
    report.check('wrong', 'no request failed', Number(requests), problems)
    return { restarts, ...figures }
  } finally {
    await installation.stop()
  }
}

/** Returns when the balancer sends it requests again. */
async function restartServer({ servers }: DrillInstallation, index: number): Promise<void> {
  const server = servers[index]
  if (server === undefined) throw new Error(`There is no server ${index}`)
  await server.terminate()
  server.start()
  await untilReady([server])
  await pause(NOTICED_MS)
}
