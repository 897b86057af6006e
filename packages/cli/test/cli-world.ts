import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  bareEnvironment,
  ScriptedRunner,
  startTestServer,
  type TestDatabase,
  type TestServer,
  type TestTenant,
} from '@skein/testkit'
import { runCommand } from './run-command.ts'
import { MAIN, runProcess, type ProcessRun } from './run-process.ts'

interface CommandOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  /** Another folder than the world's, above which there is no Skein. Takes a process. */
  readonly cwd?: string
}

/** A real server with a scripted runner, and the command line of a signed-in user. */
export interface CliWorld {
  readonly server: TestServer
  readonly tenant: TestTenant
  readonly baseUrl: string
  readonly apiKey: string
  /** A folder of the test file's own; the profile is in it. */
  readonly folder: string
  /** Runs `skein …` in the world's folder, without starting a process: that takes longer than most commands. */
  skein(args: readonly string[], options?: CommandOptions): Promise<ProcessRun>
  /** Starts `skein …` and leaves it running. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): ChildProcessWithoutNullStreams
  /** Runs it to its end, and what it printed as JSON. */
  json(args: readonly string[], options?: CommandOptions): Promise<Record<string, unknown>>
  close(): Promise<void>
}

export interface CliWorldOptions {
  /** One of the test's own, such as one that it stops. */
  readonly database?: TestDatabase
  /** Whether there is no runner. */
  readonly withoutRunner?: boolean
  /** Where the server listens, if it must know before. */
  readonly port?: number
  /** Of the server. */
  readonly settings?: Readonly<Record<string, string>>
}

export async function startCliWorld({
  database,
  withoutRunner = false,
  port = 0,
  settings = {},
}: CliWorldOptions = {}): Promise<CliWorld> {
  const server = await startTestServer({ sweeps: !withoutRunner, settings, ...(database && { database }) })
  const tenant = await server.createTenant()
  await tenant.admin.write('workspace', 'shop', {})
  const baseUrl = await server.app.listen({ host: '127.0.0.1', port })
  const runner = withoutRunner ? undefined : await startRunner(tenant, baseUrl)
  const [folder, startedIn] = [await mkdtemp(join(tmpdir(), 'skein-cli-')), process.cwd()]
  const apiKey = tenant.admin.key ?? ''
  const signedIn = {
    ...bareEnvironment(),
    HOME: folder,
    SKEIN_URL: baseUrl,
    SKEIN_API_KEY: apiKey,
  }
  const skein: CliWorld['skein'] = (args, { input = '', env = {}, cwd } = {}) =>
    cwd === undefined
      ? runCommand(args, { ...signedIn, ...env }, input)
      : runProcess(args, { env: { ...signedIn, ...env }, cwd, input })
  process.chdir(folder)
  return {
    server,
    tenant,
    baseUrl,
    apiKey,
    folder,
    skein,
    start: (args, env = {}) =>
      spawn(process.execPath, [MAIN, ...args], { env: { ...signedIn, ...env }, cwd: folder }),
    async json(args, options) {
      const { stdout, stderr, exitCode } = await skein([...args, '--json'], options)
      if (stdout === '') throw new Error(`skein ${args.join(' ')} ended with ${exitCode}: ${stderr}`)
      return JSON.parse(stdout) as Record<string, unknown>
    },
    async close() {
      await runner?.stop()
      await server.close()
      process.chdir(startedIn)
      await rm(folder, { recursive: true })
    },
  }
}

async function startRunner(tenant: TestTenant, baseUrl: string): Promise<ScriptedRunner> {
  const { document } = await tenant.admin.write('token', 'runner', {
    account: 'runner',
    role: 'runner',
    pools: ['default'],
  })
  return new ScriptedRunner({ baseUrl, apiKey: String(document['key']), heartbeatMs: 200 }).start()
}
