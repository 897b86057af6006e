import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '@skein/host'
import { waitFor } from '@skein/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { processesWith } from './processes.ts'
import { RunnerWorld } from './runner-world.ts'

const MONITORING = fileURLToPath(new URL('../../../../deploy/monitoring', import.meta.url))
const DASHBOARDS = join(MONITORING, 'dashboards')

interface Target {
  readonly expr: string
}

/** Each expression of each dashboard, with the place where it is shown. */
async function expressions(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const fileName of await readdir(DASHBOARDS)) {
    const { panels } = JSON.parse(await readFile(join(DASHBOARDS, fileName), 'utf8')) as {
      panels: { title: string; targets?: Target[] }[]
    }
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) {
        found.set(expr.replaceAll('$__rate_interval', '1m'), `${fileName}: ${title}`)
      }
    }
  }
  return found
}

/** The Debian package prometheus, scraping these addresses every second, with our rules. */
async function startPrometheus(targets: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-prometheus-'))
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [join(MONITORING, 'rules.yaml'), join(MONITORING, 'alerts.yaml')],
    scrape_configs: [{ job_name: 'skein', static_configs: [{ targets }] }],
  }
  // JSON is YAML.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const port = await findFreePort()
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await rm(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await waitFor(isReady, { what: 'Prometheus', timeoutMs: 60_000 })
  return url
}

async function ask(prometheus: string, expression: string): Promise<unknown[]> {
  const answer = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(expression)}`)
  const { status, data, error } = (await answer.json()) as {
    status: string
    error?: string
    data?: { result: unknown[] }
  }
  if (status !== 'success') throw new Error(`${expression}: ${error ?? 'no answer'}`)
  return data?.result ?? []
}

test('Prometheus has an answer for each graph of each dashboard, from a server and a runner that worked', async () => {
  const world = await RunnerWorld.start()
  onTestFinished(() => world.close())
  await world.useSandbox('process')
  const port = await findFreePort()
  await world.startRunner({ SKEIN_RUNNER_METRICS_PORT: port.toString() })
  const prometheus = await startPrometheus([new URL(world.baseUrl).host, `127.0.0.1:${port}`])

  const done = await world.spawn('done', [{ say: 'Hello.' }])
  await world.settled(done)
  const stopped = await world.spawn('stopped', [{ shell: 'exec -a sleeper-stopped sleep 3600' }])
  await world.waitUntil(
    'the command',
    async () => (await processesWith('sleeper-stopped')).length > 0,
    120_000,
  )
  const stop = { agentId: stopped, runId: '1', mode: 'STOP_TURN_MODE_KILL' }
  expect((await world.admin.post('/v1/agent/stop-turn', stop)).status).toBe(200)
  await world.settled(stopped)

  const all = await expressions()
  expect(all.size).toBeGreaterThan(30)
  const silent = async (): Promise<string[]> => {
    const places: string[] = []
    for (const [expression, place] of all) {
      if ((await ask(prometheus, expression)).length === 0) places.push(`${place}: ${expression}`)
    }
    return places
  }
  await expect.poll(silent, { timeout: 120_000, interval: 2_000 }).toEqual([])
})
