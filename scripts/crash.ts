/**
 * `npm run test:crash`: clients send commands while servers, PostgreSQL and runners are killed at random. Afterwards
 * the clients' own logs are compared with the timelines: nothing acknowledged is lost, nothing happened twice, and
 * everything has come to rest.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Client as PostgresClient } from 'pg'
import { Api, type ApiCounts } from './crash/api.ts'
import { wreakHavoc, type KillCounts } from './crash/chaos.ts'
import { checkCommands } from './crash/check-commands.ts'
import { checkRunners, readAgentPaths, readRunnerLogs } from './crash/check-runners.ts'
import { checkStored } from './crash/check-stored.ts'
import { checkTimelines } from './crash/check-timelines.ts'
import { agentPaths, Client } from './crash/client.ts'
import { install, type Installation } from './crash/installation.ts'
import { CRASH_USAGE, readOptions } from './crash/options.ts'
import { Report } from './crash/report.ts'
import { readTimelines, untilAtRest } from './crash/timelines.ts'
import { Random } from './fuzz/random.ts'

const REST_WITHIN_MS = 60_000

/** What the rules refuse. Anything else, a fault of the server above all, fails the test. */
const REFUSALS = new Set([
  'AGENT_ALREADY_EXISTS',
  'AGENT_NOT_FOUND',
  'AGENT_NOT_RUNNING',
  'PARENT_NOT_LIVE',
  'QUOTA_EXCEEDED',
  // A deferred message that only got through after its time.
  'REQUEST_INVALID',
  'RUN_NOT_CURRENT',
])

if (process.argv.includes('--help')) {
  console.log(CRASH_USAGE)
  process.exit(0)
}
const options = readOptions(process.argv.slice(2))
const paths = agentPaths(options.agents)
const counts: ApiCounts = { sent: 0, answered: 0, retries: 0, reasons: new Map() }
const kills: KillCounts = { server: 0, postgres: 0, runner: 0 }
const report = new Report()
console.log(`crash test: ${JSON.stringify(options)}`)

const installation = await install(options.seed)
try {
  const clients = await driveWhileKilling(installation)
  await checkAfterwards(installation, clients)
} finally {
  await installation.stop(report.hasFailed)
  if (report.hasFailed) console.log(`logs are in ${installation.folder}`)
}
console.log(report.summary)
process.exitCode = report.hasFailed ? 1 : 0

function apiFor({ serverUrls, adminKey }: Installation, stream: number): Api {
  return new Api(serverUrls, adminKey, new Random(options.seed, stream, 1), counts)
}

async function driveWhileKilling(target: Installation): Promise<Client[]> {
  const clients = Array.from({ length: options.clients }, (_, index) => {
    const random = new Random(options.seed, index, 2)
    const first = paths.filter((_path, agent) => agent % options.clients === index)
    return new Client(`client-${index}`, apiFor(target, index), random, { paths, first })
  })
  const stop = new AbortController()
  const progress = setInterval(() => showProgress(), 15_000)
  const work = Promise.all(clients.map((client) => client.work(stop.signal)))
  const havoc = wreakHavoc(target, options, new Random(options.seed, 3), kills)
  await Promise.race([Promise.all([havoc, pause(options.seconds * 1000)]), work])
  stop.abort()
  await work
  clearInterval(progress)
  return clients
}

function showProgress(): void {
  const { sent, retries } = counts
  console.log(`  ${sent} commands, ${retries} retries, kills: ${JSON.stringify(kills)}`)
}

async function checkAfterwards(target: Installation, clients: readonly Client[]): Promise<void> {
  const log = clients.flatMap((client) => client.log)
  const sent = { ...counts }
  const reader = apiFor(target, 1_000)
  const { restless, afterMs } = await untilAtRest(reader, paths, REST_WITHIN_MS)
  const timelines = await readTimelines(reader, paths)
  const owner = new PostgresClient({ connectionString: target.postgres.url() })
  await owner.connect()
  const pathOf = await readAgentPaths(owner)
  const runnerLines = readRunnerLogs(target.runnerLogs)
  const begun = runnerLines.filter(({ type }) => type === 'started').length
  const cutOff = begun - (runnerLines.length - begun)
  const events = timelines.reduce((sum, timeline) => sum + timeline.events.length, 0)
  const lost = timelines
    .flatMap((timeline) => timeline.events)
    .filter(({ type }) => type === 'run.attempt-lost')
  console.log(
    [
      `commands: ${sent.sent} sent, ${sent.answered} answered, ${log.length} acknowledged as done, ${sent.retries} retries`,
      `refusals: ${JSON.stringify(Object.fromEntries(counts.reasons))}`,
      `kills: ${kills.server} of servers, ${kills.postgres} of PostgreSQL, ${kills.runner} of runners`,
      `timelines: ${timelines.length} agents, ${events} events, ${lost.length} attempts lost`,
      `runners: ${begun} attempts begun, ${cutOff} of them cut off by a kill`,
      `at rest after ${afterMs} ms`,
    ].join('\n'),
  )
  report.check('every agent is at rest or terminal within 60 s', paths.length, restless)
  checkCommands(report, timelines, log)
  checkTimelines(report, timelines, log)
  checkRunners(report, timelines, runnerLines, pathOf)
  await checkStored(report, owner)
  await owner.end()
  const faults = [...counts.reasons.keys()].filter((reason) => !REFUSALS.has(reason))
  report.check('every refusal was one of the rules', counts.reasons.size, faults)
  const processes = [...target.servers, ...target.runners]
  const fallen = processes.filter(({ unexpectedEnds }) => unexpectedEnds > 0).map(({ name }) => name)
  report.check('no process ended that was not killed', processes.length, fallen)
  const tooFew = (['server', 'postgres', 'runner'] as const).filter(
    (kind) => kills[kind] < options[`${kind}Kills`],
  )
  report.check('as many kills as were asked for', 3, tooFew)
}
