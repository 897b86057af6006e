/**
 * `npm run test:fuzz`: malformed, mutated and expensive requests to every route of a real server, in a separate
 * process, on a real database. Each request depends on the seed, its number and earlier responses.
 */
import { FuzzRun } from './fuzz-run.ts'
import { FUZZ_USAGE, PLANTS, readOptions, type Plant } from './options.ts'
import { startTarget, type Target } from './target.ts'

const MAX_SHOWN = 20
const PLANTED_REQUESTS = 1_000
const MISSED = 'listKinds'

const options = readOptions(process.argv.slice(2))
if (options.help) console.log(FUZZ_USAGE)
else if (options.planted) await testFuzzer()
else {
  const { report, failed } = await fuzz(options, undefined, console.log)
  console.log(JSON.stringify(report))
  process.exitCode = failed === 0 ? 0 : 1
}

async function fuzz(
  { requests, seeds, only }: typeof options,
  planted: Plant | undefined,
  print: (line: string) => void,
) {
  let failed = 0
  const fail = (where: string, problem: string, raw = ''): void => {
    if (++failed <= MAX_SHOWN) print(`FAILED ${where}: ${problem}\n  ${raw}`)
  }
  const target = await startTarget(planted)
  const startedAt = performance.now()
  const runs: FuzzRun[] = []
  for (const seed of seeds) {
    const run = new FuzzRun(target, {
      seed,
      requests: only === undefined ? Math.ceil(requests / seeds.length) : 1,
      only,
      ...(planted === 'route' && { missing: MISSED }),
      fail: (where, problem, raw) => fail(`${where} (--seed ${seed})`, problem, raw),
    })
    await run.run()
    runs.push(run)
    print(
      `seed ${seed}: ${[...run.statuses]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([status, count]) => `${status}: ${count}`)
        .join(', ')}`,
    )
  }
  const seconds = (performance.now() - startedAt) / 1000
  if (!(await roundTrips(target)))
    fail('after everything', 'a valid document does not come back as it was written')
  await target.close()
  const sent = runs.flatMap(({ statuses }) => [...statuses.values()]).reduce((sum, count) => sum + count, 0)
  const report = {
    requests: sent,
    seeds,
    routesCovered: Math.max(...runs.map(({ routes }) => routes)),
    routesMissed: [...new Set(runs.flatMap(({ unreached }) => unreached))],
    serverErrors: runs.reduce((sum, run) => sum + run.serverErrors, 0),
    crashes: runs.filter(({ isCrashed }) => isCrashed).length,
    longestTickMs: Math.round(Math.max(...runs.map((run) => run.longestTickMs))),
    longestOwnTickMs: Math.round(Math.max(...runs.map((run) => run.longestOwnTickMs))),
    requestsPerSecond: Math.round(sent / seconds),
    failed,
  }
  return { report, failed }
}

/** A fuzzer that notices nothing looks the same as a server without bugs. */
async function testFuzzer(): Promise<void> {
  const noticed: Record<string, boolean> = {}
  for (const plant of PLANTS) {
    const lines: string[] = []
    const one = { ...options, requests: PLANTED_REQUESTS }
    const { report } = await fuzz(one, plant, (line) => lines.push(line))
    noticed[plant] = isNoticed(plant, report)
    if (!noticed[plant]) console.log(`NOT NOTICED: ${plant}\n${lines.join('\n')}`)
  }
  console.log(JSON.stringify(noticed))
  process.exitCode = Object.values(noticed).every(Boolean) ? 0 : 1
}

function isNoticed(plant: Plant, report: Awaited<ReturnType<typeof fuzz>>['report']): boolean {
  if (report.failed === 0) return false
  switch (plant) {
    case 'route':
      return report.routesMissed.length > 0
    case 'tick':
      return report.longestOwnTickMs >= 290
    case 'error':
      return report.serverErrors > 0
  }
}

async function roundTrips({ admin }: Target): Promise<boolean> {
  const document = {
    description: 'Übung 💥',
    prompt: 'line\nline',
    model: 'm',
    tasks: [{ subject: 's', description: '' }],
  }
  await admin.write('persona', 'after-the-fuzz', document)
  const read = await admin.read('persona', 'after-the-fuzz')
  return Object.entries(document).every(
    ([name, value]) => JSON.stringify(read[name]) === JSON.stringify(value),
  )
}
