import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { waitFor } from '@skein/testkit'
import { RunnerLogs } from '../../crash/checks/runner-logs.ts'
import { untilReady } from '../../crash/installation/install.ts'
import { createRunnerKey, superviseRunner } from '../../crash/installation/programs.ts'
import type { DrillSettings, Figures } from '../drill.ts'
import { LOAD, underLoad, type Load } from '../load.ts'
import type { Cluster } from './cluster.ts'
import type { DatabaseUrls } from './database.ts'
import { NEXT, type Journey, type Service } from './journey.ts'
import { isReady, listPods } from './pods.ts'

const run = promisify(execFile)
/** Less than in other drills: the cluster works on the same cores, and an overloaded server refuses requests. */
const MODERATE = { ...LOAD, clients: 3, agents: 24, treeSize: 8 }
const RUNNERS = 2
const SERVERS = 2
const REPLACED_MS = 120_000

export interface ChangeOptions {
  readonly settings: DrillSettings
  readonly cluster: Cluster
  readonly service: Service
  readonly journey: Journey
  readonly database: DatabaseUrls
}

/** Upgrade, rollback and evictions while the crash test's clients and runners work. */
export async function changeUnderLoad(options: ChangeOptions): Promise<Figures> {
  const { settings, cluster, service, journey, database } = options
  const { folder, report } = settings
  // The load's runners do what its scripts say. A real agent would not.
  await cluster.kubectl('-n', 'skein-runners', 'scale', 'deployment', '--all', '--replicas=0')
  const files = Array.from({ length: RUNNERS }, (_, index) => join(folder, `runner-${index}.jsonl`))
  const runners = await Promise.all(
    files.map(async (logFile, index) => {
      const key = await createRunnerKey(service.url, service.adminKey, index)
      return superviseRunner({ index, folder, url: service.url, key, logFile })
    }),
  )
  for (const runner of runners) runner.start()
  await untilReady(runners)
  const target = {
    ownerUrl: database.owner,
    serverUrls: [service.url],
    balancerUrl: service.url,
    adminKey: service.adminKey,
    servers: [],
    runners,
    runnerLogs: new RunnerLogs(files),
  }
  const phases: Record<string, Figures> = {}
  try {
    const change = async ({ calls }: Load): Promise<void> => {
      const phase = async (name: string, act: () => Promise<unknown>): Promise<void> => {
        const before = { sent: calls.sent, retries: calls.retries }
        await journey.measure(name, act)
        phases[name] = { requests: calls.sent - before.sent, errors: calls.retries - before.retries }
      }
      await phase('before', () => untilAnswered(calls, 300))
      journey.checkOutNext()
      await phase('upgrade', () => journey.follow('upgrade'))
      await checkVersion(options, NEXT)
      await phase('rollback', () => journey.follow('rollback'))
      await checkVersion(options, '0.0.0')
      await phase('evictions', () => evictInTurn(options))
    }
    const figures = await underLoad(settings, target, change, 1, MODERATE)
    const { requests, errors, failures } = figures
    const problems = Number(errors) === 0 ? [] : [JSON.stringify(failures)]
    report.check('wrong', 'no request failed', Number(requests), problems)
    return { ...figures, phases }
  } finally {
    await Promise.all(runners.map((runner) => runner.stop()))
  }
}

async function untilAnswered(calls: Load['calls'], count: number): Promise<void> {
  await waitFor(() => calls.answered >= count, { what: `${count} answers`, timeoutMs: REPLACED_MS })
}

/** Every server runs this image, and none was restarted. */
async function checkVersion({ settings, cluster }: ChangeOptions, version: string): Promise<void> {
  const pods = await untilReplaced(cluster)
  const images = pods.flatMap(({ spec }) => spec.containers.map(({ image }) => image))
  const others = images.filter((image) => image !== `localhost/skein-server:${version}`)
  settings.report.check('wrong', 'servers run the version that was asked for', images.length, others)
  const restarts = pods.filter(({ status }) => (status.containerStatuses?.[0]?.restartCount ?? 0) > 0)
  settings.report.check(
    'wrong',
    'no server had to be restarted',
    pods.length,
    restarts.map(({ metadata }) => metadata.name),
  )
}

/** As `kubectl drain` does it: one server may go, the next only when there is another one in its place. */
async function evictInTurn({ settings, cluster }: ChangeOptions): Promise<void> {
  const { report, folder } = settings
  const [first, second] = (await untilReplaced(cluster)).map(({ metadata }) => metadata.name)
  if (first === undefined || second === undefined) throw new Error('There are not two servers')
  const granted = await evict(cluster, folder, first)
  report.check('wrong', 'the first eviction was granted', 1, granted === '' ? [] : [granted])
  const refused = await evict(cluster, folder, second)
  const isRefused = refused.includes('disruption budget')
  report.check('wrong', 'the second eviction was refused', 1, isRefused ? [] : [refused || 'it was granted'])
  await untilReplaced(cluster)
  const later = await evict(cluster, folder, second)
  report.check('wrong', 'it was granted after the first was replaced', 1, later === '' ? [] : [later])
  await untilReplaced(cluster)
}

/** Returns why not; empty if it was granted. */
async function evict(cluster: Cluster, folder: string, pod: string): Promise<string> {
  const file = join(folder, 'eviction.json')
  const metadata = { name: pod, namespace: 'skein' }
  writeFileSync(file, JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata }))
  const path = `/api/v1/namespaces/skein/pods/${pod}/eviction`
  return run('kubectl', ['create', '--raw', path, '--filename', file], { env: cluster.env }).then(
    () => '',
    (error: unknown) => (error as { stderr: string }).stderr,
  )
}

async function untilReplaced(cluster: Cluster) {
  return waitFor(
    async () => {
      const pods = await listPods(cluster, 'skein', 'server')
      return pods.length === SERVERS && pods.every(isReady) ? pods : undefined
    },
    { what: 'two ready servers', timeoutMs: REPLACED_MS, intervalMs: 500 },
  )
}
