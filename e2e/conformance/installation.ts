import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Service } from './http.ts'
import { until } from './until.ts'

const START_MS = 180_000
const STOP_MS = 30_000
/** A key or URL in the environment would replace the simulator. */
const LEFT_OUT = /^(ANTHROPIC_|OPENAI_|CLAUDE_CODE_|SKEIN_)/

/** Creates a key in another tenant. */
export type Bootstrap = (org: string, role: string) => Promise<string>

/** `skein dev` in its own folder and process group, on a free port. */
export class Installation {
  readonly #folder: string
  readonly #child: ChildProcess
  readonly service: Service

  private constructor(folder: string, child: ChildProcess, service: Service) {
    this.#folder = folder
    this.#child = child
    this.service = service
  }

  static async start(): Promise<Installation> {
    const folder = mkdtempSync(join(tmpdir(), 'skein-conformance-'))
    // If root starts it, PostgreSQL runs as another user, who needs access.
    chmodSync(folder, 0o755)
    const data = join(folder, 'data')
    const command = ['--no-install', 'skein', 'dev', '--json', '--port', '0', '--data-dir', data]
    const child = spawn('npx', command, {
      env: { ...bareEnvironment(), XDG_CONFIG_HOME: join(folder, 'config') },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    await until(() => out.includes('\n') || child.exitCode !== null, START_MS, 100)
    const line = out.split('\n')[0] ?? ''
    const service = line.startsWith('{') ? (JSON.parse(line) as Service) : undefined
    const installation = new Installation(
      folder,
      child,
      service ?? { baseUrl: '', apiKey: '', dashboardUrl: '' },
    )
    if (service !== undefined) return installation
    await installation.stop()
    throw new Error(`skein dev is not ready:\n${err.slice(-2000)}`)
  }

  /** A key of another tenant. It can only be created next to the server, with the documented command. */
  async bootstrap(org: string, role: string): Promise<string> {
    const data = join(this.#folder, 'data')
    const { masterKey } = JSON.parse(readFileSync(join(data, 'dev.json'), 'utf8')) as { masterKey: string }
    const password = readFileSync(join(data, 'postgres', 'password'), 'utf8').trim()
    const port = readFileSync(this.#postmaster, 'utf8').split('\n')[3]
    const command = ['--no-install', 'skein-server', 'bootstrap', '--json', '--role', role]
    const { stdout } = await promisify(execFile)('npx', [...command, '--org', org, '--account', org], {
      env: {
        ...bareEnvironment(),
        SKEIN_OWNER_DATABASE_URL: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
        SKEIN_MASTER_KEY: masterKey,
      },
      timeout: START_MS,
    })
    return (JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { key: string }).key
  }

  /** Whether everything that was started has ended by itself. */
  async stop(): Promise<boolean> {
    this.signal('SIGTERM')
    // npx may exit before skein has cleaned up: the port and PostgreSQL's file show when it has.
    const isGone = await until(
      async () => this.#hasEnded && !existsSync(this.#postmaster) && (await this.#isClosed()),
      STOP_MS,
      200,
    )
    if (isGone === undefined) this.signal('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 })
    return isGone === true
  }

  signal(name: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, name)
    } catch {
      // Already ended.
    }
  }

  get #postmaster(): string {
    return join(this.#folder, 'data', 'postgres', 'pgdata', 'postmaster.pid')
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  async #isClosed(): Promise<boolean> {
    const health = fetch(`${this.service.baseUrl}/healthz`, { signal: AbortSignal.timeout(1000) })
    return health.then(
      () => false,
      () => true,
    )
  }
}

function bareEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !LEFT_OUT.test(name)))
}
