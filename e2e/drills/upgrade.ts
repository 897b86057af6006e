import { setTimeout as pause } from 'node:timers/promises'
import { startPostgresServer } from '@skein/testkit'
import { Client } from 'pg'
import { prepareDatabase, serverCommand } from '../crash/installation/database.ts'
import { untilReady } from '../crash/installation/install.ts'
import type { Drill, DrillSettings, Figures } from './drill.ts'
import { installAround, NOTICED_MS, type DrillInstallation } from './installation.ts'
import { underLoad, type Load } from './load.ts'
import { HAPROXY } from './needs.ts'
import { installPrevious, type PreviousRelease } from './previous-release.ts'

const PHASE_MS = 8_000
/** Longer than a statement of a server waits for a lock. */
const LOCKED_MS = 8_000

export const upgrade: Drill = {
  summary: 'the previous release is upgraded under load, both work side by side, and it is rolled back',
  needs: [HAPROXY],
  planted: 'the migration locks a table for eight seconds',
  async run(settings) {
    const previous = await installPrevious(settings.root, settings.folder, settings.from)
    settings.print(`the previous release is ${previous.commit}`)
    const postgres = await startPostgresServer({ durable: true })
    try {
      return await upgradeUnderLoad(settings, previous, postgres.url())
    } finally {
      await postgres.stop()
      await previous.remove()
    }
  },
}

async function upgradeUnderLoad(
  settings: DrillSettings,
  previous: PreviousRelease,
  ownerUrl: string,
): Promise<Figures> {
  const { root, report } = settings
  const database = { ...(await prepareDatabase(ownerUrl, previous.installed)), ownerUrl }
  const installation = await installAround(settings, database, {
    root: previous.installed,
    runnerRoot: previous.root,
  })
  const answered: Record<string, number> = {}
  let migrateMs = 0
  try {
    const figures = await underLoad(settings, installation, async (load) => {
      const phase = phases(load, answered)
      await phase('old', () => pause(PHASE_MS))
      await phase('oldWithNewSchema', async () => {
        migrateMs = await migrate(settings, ownerUrl)
        await pause(PHASE_MS)
      })
      await phase('both', () => replaceServer(installation, 0, root))
      await phase('new', async () => {
        await replaceServer(installation, 1, root)
        await replaceRunners(installation, root)
        await pause(PHASE_MS)
      })
      await phase('bothRollingBack', async () => {
        await replaceRunners(installation, previous.root)
        await replaceServer(installation, 0, previous.installed)
        await pause(PHASE_MS)
      })
      await phase('rolledBack', async () => {
        await replaceServer(installation, 1, previous.installed)
        await pause(PHASE_MS)
      })
    })
    const problems = Number(figures['errors']) === 0 ? [] : [JSON.stringify(figures['failures'])]
    report.check('wrong', 'no request failed', Number(figures['requests']), problems)
    return { from: previous.commit, migrateMs, answered, ...figures }
  } finally {
    await installation.stop()
  }
}

/** Counts what was answered in each phase. */
function phases({ calls }: Load, answered: Record<string, number>) {
  return async (name: string, act: () => Promise<void>): Promise<void> => {
    const before = calls.answered
    await act()
    answered[name] = calls.answered - before
  }
}

async function migrate({ root, isPlanted }: DrillSettings, ownerUrl: string): Promise<number> {
  const startedAt = performance.now()
  await serverCommand(root, ['migrate'], { SKEIN_OWNER_DATABASE_URL: ownerUrl })
  if (isPlanted) await lockAgents(ownerUrl)
  return Math.round(performance.now() - startedAt)
}

async function lockAgents(ownerUrl: string): Promise<void> {
  const owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  await owner.query('begin; lock table agent in access exclusive mode')
  await pause(LOCKED_MS)
  await owner.query('rollback')
  await owner.end()
}

/** Returns when the balancer sends the new one requests. */
async function replaceServer(
  { servers, createServer }: DrillInstallation,
  index: number,
  root: string,
): Promise<void> {
  await servers[index]?.terminate()
  const server = createServer(index, { root })
  servers[index] = server
  server.start()
  await untilReady([server])
  await pause(NOTICED_MS)
}

/** They are killed: their runs are retried by the next ones. */
async function replaceRunners({ runners, createRunner }: DrillInstallation, root: string): Promise<void> {
  for (const [index, runner] of runners.entries()) {
    await runner.stop()
    const next = createRunner(index, root)
    runners[index] = next
    next.start()
  }
  await untilReady(runners)
}
