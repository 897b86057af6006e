import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresServer } from '@skein/testkit'
import { Client } from 'pg'
import { readTimelines, untilAtRest } from '../crash/checks/read-timelines.ts'
import { checkStored } from '../crash/checks/stored.ts'
import { checkTimelines } from '../crash/checks/timelines.ts'
import { prepareDatabase } from '../crash/installation/database.ts'
import { untilReady } from '../crash/installation/install.ts'
import type { Report } from '../crash/report.ts'
import { apiFor, createClients } from '../crash/round.ts'
import { noCalls } from '../crash/workload/api.ts'
import { agentPaths } from '../crash/workload/paths.ts'
import { ArchivedPostgres } from './archive.ts'
import type { Drill, DrillSettings, Figures } from './drill.ts'
import { installAround, type DrillInstallation } from './installation.ts'
import { LOAD, underLoad } from './load.ts'
import { HAPROXY } from './needs.ts'
import { POSTGRES } from './postgres-programs.ts'
import { RealAgent } from './real-agent.ts'
import { RestoredWebhooks } from './restored-webhooks.ts'
import { checkRestored } from './restored.ts'

const PREFIX = 'r1-'
const PHASE_MS = 10_000

export const restore: Drill = {
  summary:
    'the database is restored to a moment in the middle of the load, from a base backup and archived WAL',
  needs: [HAPROXY, POSTGRES],
  planted: 'the first file of the archive that the restore needs is missing',
  async run(settings) {
    const archived = await ArchivedPostgres.start(settings)
    const started: PostgresServer[] = [archived.postgres]
    const onEnd: (() => Promise<void>)[] = []
    const ownerUrl = archived.postgres.url()
    const database = { ...(await prepareDatabase(ownerUrl, settings.root)), ownerUrl }
    const env = { SKEIN_OUTBOUND_ALLOW: '127.0.0.1' }
    const installation = await installAround(settings, database, { env })
    const real = await RealAgent.start(settings.root, settings.folder, installation)
    try {
      return await loseAndRestore(settings, { archived, installation, real, started, onEnd })
    } finally {
      await real.stop()
      await installation.stop()
      for (const end of onEnd) await end()
      for (const postgres of started) await postgres.stop()
    }
  },
}

interface Parts {
  readonly archived: ArchivedPostgres
  readonly installation: DrillInstallation
  readonly real: RealAgent
  /** To be stopped at the end, and what else is to be done then. */
  readonly started: PostgresServer[]
  readonly onEnd: (() => Promise<void>)[]
}

async function loseAndRestore(
  settings: DrillSettings,
  { archived, installation, real, started, onEnd }: Parts,
): Promise<Figures> {
  const { report, isPlanted, seed, print } = settings
  const round = { number: 1, options: { ...LOAD, seed }, target: installation, calls: noCalls() }
  const paths = agentPaths(PREFIX, LOAD.agents)
  const clients = createClients(round, PREFIX, paths)
  const webhooks = await RestoredWebhooks.start(apiFor(round, 998))
  onEnd.push(() => webhooks.close())
  const stop = new AbortController()
  const work = Promise.all(clients.map((client) => client.work(stop.signal)))
  await pause(PHASE_MS / 2)
  await real.work([{ shell: 'echo one > one.txt' }, { say: 'I keep the zebra in mind.' }])
  const seen = await real.lastSequence()
  await archived.takeBaseBackup()
  await pause(PHASE_MS - 2_000)
  webhooks.isDown = true
  await pause(2_000)
  const time = await archived.now()
  webhooks.isDown = false
  real.backUpBlobs()
  // A later conversation replaces the one that the restored database refers to.
  await real.work([{ shell: 'echo two > two.txt' }, { say: 'And the quagga.' }])
  await pause(PHASE_MS)
  const lastFile = await archived.switchFile()
  stop.abort()
  await work
  print(`the database of ${time.toISOString()} is restored, ${lastFile} is the last file of the archive`)
  const { servers, runners } = installation
  // In the order of our page: everything that writes is stopped first.
  await real.stopRunner()
  await Promise.all([...runners, ...servers].map((each) => each.stop()))
  webhooks.lose()
  await archived.postgres.kill()
  if (isPlanted) loseFile(archived.archive)
  const startedAt = performance.now()
  const postgres = await archived.restoreTo(time).catch((error: unknown) => String(error))
  const isRestored = typeof postgres !== 'string'
  report.check('lost', 'the archive reaches the moment', 1, isRestored ? [] : [postgres.slice(-600)])
  if (!isRestored) return {}
  started.push(postgres)
  const restoreMs = Math.round(performance.now() - startedAt)
  for (const server of servers) server.start()
  await untilReady(servers)
  const reader = apiFor(round, 999)
  const log = clients.flatMap((client) => client.log)
  const counts = checkRestored(report, log, { time, timelines: await readTimelines(reader, paths) })
  const serveMs = Math.round(performance.now() - startedAt)
  const blobs = real.restoreBlobs()
  for (const runner of runners) runner.start()
  await untilReady(runners)
  await checkRealAgent(report, real, blobs)
  await checkWatch(report, real, seen)
  const { restless, afterMs } = await untilAtRest(reader, paths, LOAD.restSeconds * 1000)
  report.check('stuck', 'every restored agent comes to rest', paths.length, restless)
  const timelines = await readTimelines(reader, paths)
  const evidence = { log: [], repeats: [], ownWrites: [], uncertain: [], attempts: [], timelines }
  checkTimelines(report, evidence)
  const sent = await webhooks.check(report, time, timelines)
  const owner = new Client({ connectionString: postgres.url() })
  await owner.connect()
  await checkStored(report, owner, PREFIX)
  await owner.end()
  const again = await underLoad(settings, installation, () => pause(PHASE_MS), 2)
  return { ...counts, webhooks: sent, blobs, restoreMs, serveMs, restAfterMs: afterMs, afterwards: again }
}

/** Its conversation comes from the restored store, its unfinished work from Git. */
async function checkRealAgent(report: Report, real: RealAgent, blobs: number): Promise<void> {
  await real.startRunner()
  await real.work([{ shell: 'cat one.txt' }, { say: 'Done.' }])
  const replaced = blobs > 0 ? [] : ['the later conversation did not replace the earlier one']
  report.check('wrong', 'a conversation had to be restored', 1, replaced)
  const forgotten = real.remembers('zebra') ? [] : ['the model was not told the earlier conversation']
  report.check('lost', 'a real agent remembers its conversation of the moment', 1, forgotten)
  const foreign = real.remembers('quagga') ? ['the model was told of a turn after the moment'] : []
  report.check('wrong', 'a real agent knows nothing of what came after the moment', 1, foreign)
  const output = await real.lastOutput()
  const lost = output.includes('one') ? [] : [`cat printed ${output}`]
  report.check('lost', 'a real agent has its unfinished work', 1, lost)
}

/** Somebody who had seen everything up to before the moment is told what follows, without a gap. */
async function checkWatch(report: Report, real: RealAgent, seen: string): Promise<void> {
  const told = await real.watchOn(seen)
  const last = await real.lastSequence()
  const at = told.findIndex((sequence, index) => BigInt(sequence) !== BigInt(seen) + BigInt(index) + 1n)
  const gap = at === -1 ? [] : [`${told[at]} came after ${told[at - 1] ?? seen}`]
  const end = told.at(-1) === last ? [] : [`it ended with ${told.at(-1) ?? 'nothing'} instead of ${last}`]
  report.check('lost', 'a watch goes on where it was', told.length, [...gap, ...end])
}

/** The file in which the base backup begins, whose name PostgreSQL notes in the archive. No restore works without it. */
function loseFile(archive: string): void {
  const note = readdirSync(archive).find((file) => /^[0-9A-F]{24}\.[0-9A-F]{8}\.backup$/.test(file))
  if (note === undefined) throw new Error('The archive has no note of a base backup')
  rmSync(join(archive, note.slice(0, 24)))
}
