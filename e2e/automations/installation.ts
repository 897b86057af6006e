import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePorts } from '@skein/host'
import type { PostgresServer, Random } from '@skein/testkit'
import { ScriptedRunner } from '@skein/testkit/scripted-runner'
import { prepareDatabase, startDatabase } from '../crash/installation/database.ts'
import { LEASE_MS, untilReady } from '../crash/installation/install.ts'
import { createRunnerKey, superviseServer } from '../crash/installation/programs.ts'
import type { Supervised } from '../crash/installation/supervised.ts'
import { Api, noCalls } from '../crash/workload/api.ts'

const SERVERS = 2
/** How long an agent of a schedule or trigger works, unless its description says something else. */
const WORK_MS = 300

/** Where agents live that schedules and triggers start, and who owns them. Others emit the events. */
export const WORKSPACE = 'automations'
export const PROFILE = 'night-shift'

export interface Installation {
  readonly postgres: PostgresServer
  readonly servers: readonly Supervised[]
  readonly urls: readonly string[]
  readonly api: Api
  stop(): Promise<void>
}

/** Of servers. */
type Settings = Readonly<Record<string, string>>

interface Parts {
  readonly postgres: PostgresServer
  readonly folder: string
  readonly servers: Supervised[]
  readonly runners: ScriptedRunner[]
}

/** PostgreSQL, two servers of the source tree at `root`, and a runner for each. */
export async function install(root: string, random: Random, settings: Settings = {}): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-automations-'))
  const parts: Parts = { postgres: await startDatabase(), folder, servers: [], runners: [] }
  try {
    return await startPrograms(root, parts, { random, settings })
  } catch (error) {
    await stopAll(parts)
    throw error
  }
}

async function startPrograms(
  root: string,
  parts: Parts,
  { random, settings }: { readonly random: Random; readonly settings: Settings },
): Promise<Installation> {
  const { postgres, folder, servers, runners } = parts
  const { serverUrl: databaseUrl, masterKey, adminKey } = await prepareDatabase(postgres.url(), root)
  const ports = await findFreePorts(SERVERS)
  const env = { SKEIN_OUTBOUND_ALLOW: '127.0.0.1', ...settings }
  for (const [index, port] of ports.entries()) {
    const server = { root, index, port, folder, databaseUrl, masterKey, leaseMs: LEASE_MS, env }
    servers.push(superviseServer(server))
  }
  for (const server of servers) server.start()
  await untilReady(servers)
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const api = new Api(urls, adminKey, random, noCalls())
  await writeResource(api, 'pool', WORKSPACE, { maxRuns: 1_000 })
  await writeResource(api, 'workspace', WORKSPACE, { pool: WORKSPACE })
  await writeResource(api, 'profile', PROFILE, {})
  for (const [index, baseUrl] of urls.entries()) {
    const apiKey = await createRunnerKey(baseUrl, adminKey, index, WORKSPACE)
    const defaultScript = [{ do: 'work', ms: WORK_MS }, { do: 'finish' }] as const
    const runner = new ScriptedRunner({ baseUrl, apiKey, capacity: 32, pollMs: 3_000, defaultScript })
    runners.push(runner.start())
  }
  return { postgres, servers, urls, api, stop: () => stopAll(parts) }
}

async function stopAll({ postgres, folder, servers, runners }: Parts): Promise<void> {
  await Promise.all(runners.map((runner) => runner.stop()))
  await Promise.all(servers.map((server) => server.stop()))
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Returns the document as the service answers it. */
export async function writeResource(
  api: Api,
  kind: string,
  name: string,
  document: object,
): Promise<Record<string, unknown>> {
  const payload = Buffer.from(JSON.stringify(document)).toString('base64')
  const { status, body } = await api.insist(`/v1/catalog/${kind}/${name}`, { payload })
  if (status !== 200) throw new Error(`${kind} ${name} was refused: ${JSON.stringify(body)}`)
  return JSON.parse(Buffer.from(String(body['payload']), 'base64').toString()) as Record<string, unknown>
}
