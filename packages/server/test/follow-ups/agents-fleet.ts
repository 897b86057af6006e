import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { bareEnvironment, createTestDatabase, NO_LIMITS, waitFor, type TestDatabase } from '@skein/testkit'
import { bootstrapTenant } from '../process/first-tenant.ts'
import { send, writeDocument, type HttpAnswer } from '../process/http.ts'

/** Settings of a server that detects a lost lease soon and limits no requests. */
export function serverSettings(database: TestDatabase, leaseMs: number): Record<string, string> {
  return {
    SKEIN_DATABASE_URL: database.serverUrl,
    SKEIN_LEASE_MS: String(leaseMs),
    SKEIN_LOG_LEVEL: 'info',
    ...NO_LIMITS,
  }
}

export async function prepareTenant(): Promise<{ database: TestDatabase; key: string }> {
  const database = await createTestDatabase()
  const { key } = await bootstrapTenant(database.ownerUrl)
  return { database, key }
}

export async function createRunnerKey(url: string, key: string, name: string): Promise<string> {
  const token = { account: name, role: 'runner', pools: ['default'] }
  const { document } = await writeDocument(url, key, `token/${name}`, token)
  return String(document['key'])
}

export interface Event extends Record<string, unknown> {
  readonly type: string
  readonly time: string
}

/** What callers do, on whichever server is named. */
export class Fleet {
  url: string
  readonly #key: string

  constructor(url: string, key: string) {
    this.url = url
    this.#key = key
  }

  command(operation: string, agent: string, body: object = {}): Promise<HttpAnswer> {
    const agentId = { agent: [agent], workspace: 'default' }
    const options = { method: 'POST', key: this.#key, body: { agentId, ...body } }
    return send(`${this.url}/v1/agent/${operation}`, options)
  }

  async phase(agent: string): Promise<unknown> {
    return (await this.command('status', agent)).body['phase']
  }

  async timeline(agent: string): Promise<Event[]> {
    return (await this.command('timeline', agent)).body['events'] as Event[]
  }
}

export interface RunnerProcess {
  /** What it printed, a JSON line each. */
  readonly lines: readonly Record<string, unknown>[]
  /** All that it printed, errors included. */
  readonly output: string
  signal(signal: NodeJS.Signals): void
  readonly ended: Promise<unknown>
}

/** A runner of the tests' own, as a process. */
export function startRunnerProcess(script: URL, env: Readonly<Record<string, string>>): RunnerProcess {
  const child = spawn(process.execPath, [fileURLToPath(script)], {
    env: { ...bareEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  }
  return {
    get lines() {
      return text
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    },
    get output() {
      return text
    },
    signal: (signal) => void child.kill(signal),
    ended: once(child, 'close'),
  }
}

/** At most this many concurrent requests. */
export async function inParallel<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items]
  const worker = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item)
  }
  await Promise.all(Array.from({ length: limit }, worker))
}

export function untilPhase(fleet: Fleet, agent: string, phase: string): Promise<boolean> {
  return waitFor(async () => (await fleet.phase(agent)) === phase, {
    what: `${agent} to be in ${phase}`,
    timeoutMs: 60_000,
    intervalMs: 50,
  })
}
