import { randomBytes } from 'node:crypto'
import { Skein, type Catalog } from '@skein/client'
import type { DataDir } from './data-dir.ts'
import { readDevState, writeDevState, type DevState } from './dev-state.ts'
import {
  chooseWorkspaceModel,
  createRunnerKey,
  createSampleWorkspace,
  loosenMachine,
  SAMPLE_WORKSPACE,
  setSandbox,
} from './furnish-tenant.ts'
import { LocalDatabase } from './local-database.ts'
import type { DevError } from './dev-error.ts'
import type { DevSandbox } from './dev-sandbox.ts'
import { runnerSpec, serverSpec, simulatorSpec } from './program-specs.ts'
import { passOn, runServerCommand } from './programs.ts'
import type { Progress } from './progress.ts'
import {
  chooseSandbox,
  expectRunner,
  explainNoBackend,
  findRunnerUser,
  findUnheldLimits,
} from './runner-offers.ts'
import { createSampleRepository, shareRepository } from './sample-repository.ts'
import { SupervisedProgram, type ProgramSpec } from './supervised-program.ts'

export interface LocalSkeinParts {
  readonly options: {
    readonly runner: boolean
    /** Default: bubblewrap if it works. */
    readonly sandbox?: DevSandbox
  }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly dataDir: DataDir
  readonly port: number
  readonly progress: Progress
  readonly signal: AbortSignal
  readonly model: { readonly isReal: boolean }
  /** Folder with additional scripts for the simulator. */
  readonly scripts: string
}

/** Everything `skein dev` runs. Stopped in reverse order. */
export class LocalSkein {
  readonly #parts: LocalSkeinParts
  readonly #programs: SupervisedProgram[] = []
  /** Aborts a start in progress, when a dependency has died or everything should stop. */
  readonly #halt = new AbortController()
  readonly #signal: AbortSignal
  readonly #failure = Promise.withResolvers<DevError>()
  #firstFailure: DevError | undefined
  #database: LocalDatabase | undefined
  #state: DevState | undefined

  constructor(parts: LocalSkeinParts) {
    this.#parts = parts
    this.#signal = AbortSignal.any([parts.signal, this.#halt.signal])
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#parts.port}`
  }

  get apiKey(): string {
    return this.#state?.apiKey ?? ''
  }

  async createSignInLink(): Promise<string> {
    return (await this.#client(this.apiKey).createSignInLink()).url
  }

  async start(): Promise<void> {
    try {
      await this.#startAll()
    } catch (error) {
      throw this.#firstFailure ?? error
    }
  }

  /** Resolves when something ends unexpectedly. */
  untilFailure(): Promise<DevError> {
    return this.#failure.promise
  }

  async stop(): Promise<void> {
    this.#halt.abort()
    for (const program of this.#programs.toReversed()) await program.stop()
    await this.#database?.stop()
  }

  async #startAll(): Promise<void> {
    const { options, dataDir, progress, env, model } = this.#parts
    let state = await readDevState(dataDir.state)
    // Before the database knows the password: if it were lost after that, nobody could get in.
    await writeDevState(dataDir.state, state)
    // Depends on nothing, so it starts in parallel. A failure is reported where its URL is needed.
    const simulator = options.runner && !model.isReal ? this.#startSimulator() : undefined
    simulator?.catch(() => {})
    const database = await progress.step('PostgreSQL', () => LocalDatabase.start(dataDir))
    this.#database = database
    void database.untilEnd().then((failure) => this.#fail(failure))
    state = await progress.step('Schema, tenant and key', () => this.#prepareTenant(database, state))
    this.#state = state
    await progress.step('Server', () => this.#startServer(database, state))
    const { catalog } = this.#client(state.apiKey)
    await progress.step(`Workspace ${SAMPLE_WORKSPACE}`, async () => {
      await createSampleRepository(dataDir.sampleRepository)
      const name = model.isReal ? await chooseWorkspaceModel(catalog, env) : ''
      await createSampleWorkspace(catalog, { repository: dataDir.sampleRepository, model: name })
    })
    if (!options.runner) {
      if (options.sandbox !== undefined) await setSandbox(catalog, options.sandbox)
      return
    }
    if (state.runnerKey === '') {
      state = { ...state, runnerKey: await createRunnerKey(catalog) }
      await writeDevState(dataDir.state, state)
    }
    const simulatorUrl = simulator && (await progress.step('Model simulator', () => simulator))
    await progress.step('Runner', () => this.#startRunner(catalog, state, simulatorUrl))
  }

  #client(apiKey: string): Skein {
    return new Skein({ baseUrl: this.baseUrl, apiKey, userAgent: 'skein-dev' })
  }

  async #prepareTenant(database: LocalDatabase, state: DevState): Promise<DevState> {
    const { dataDir } = this.#parts
    const signal = this.#signal
    const env = {
      ...passOn(this.#parts.env, { withProviders: false }),
      SKEIN_OWNER_DATABASE_URL: database.ownerUrl,
      SKEIN_MASTER_KEY: state.masterKey,
    }
    await runServerCommand(['migrate'], env, signal)
    if (state.apiKey !== '') return state
    // A key is shown only once. If we were killed before storing it, another token provides a new one.
    for (const token of ['dev', `dev-${randomBytes(4).toString('hex')}`]) {
      const args = ['bootstrap', '--org', 'dev', '--account', 'dev', '--token', token, '--json']
      const apiKey = readKey(await runServerCommand(args, env, signal))
      if (apiKey === '') continue
      const next = { ...state, apiKey }
      await writeDevState(dataDir.state, next)
      return next
    }
    throw new Error('A token of a name that was never used gets a key')
  }

  async #startServer(database: LocalDatabase, state: DevState): Promise<void> {
    const { env, port } = this.#parts
    const databaseUrl = await database.serverUrl(state.password)
    const server = await this.#launch(serverSpec(env, { state, databaseUrl, port, baseUrl: this.baseUrl }))
    await server.untilReady(() => answers(`${this.baseUrl}/readyz`), this.#signal)
  }

  async #startSimulator(): Promise<string> {
    const simulator = await this.#launch(simulatorSpec(this.#parts.env, this.#parts.scripts))
    return simulator.untilReady(async () => /"url":"([^"]+)"/.exec(simulator.readLog())?.[1], this.#signal)
  }

  async #startRunner(catalog: Catalog, state: DevState, simulatorUrl: string | undefined): Promise<void> {
    const { options, dataDir, progress, env } = this.#parts
    const { baseUrl } = this
    const spec = runnerSpec(env, { state, dataDir, baseUrl, simulatorUrl, sandbox: options.sandbox })
    const findRunner = await expectRunner(this.#client(state.apiKey))
    const runner = await this.#launch(spec)
    const offers = await runner.untilReady(findRunner, this.#signal)
    const { sandbox, warning } = chooseSandbox(offers, options.sandbox)
    if (warning !== undefined) progress.warn(warning)
    const noBackend = explainNoBackend(offers)
    if (noBackend !== undefined) progress.warn(noBackend)
    const user = findRunnerUser(dataDir.runner)
    if (user) {
      await shareRepository(dataDir.sampleRepository, user.gid)
      progress.warn(
        `the runner runs as user ${user.uid}, not as root: that user needs access to other repositories on this disk`,
      )
    }
    await setSandbox(catalog, sandbox)
    const unheld = findUnheldLimits(offers, sandbox)
    if (
      await loosenMachine(
        catalog,
        unheld.map(({ field }) => field),
      )
    ) {
      const fields = unheld.map(({ field }) => field).join(' and ')
      progress.warn(`agents run without a limit for ${fields}: ${unheld[0]?.reason}`)
    }
  }

  async #launch(spec: ProgramSpec): Promise<SupervisedProgram> {
    this.#signal.throwIfAborted()
    const program = await SupervisedProgram.start(this.#parts.dataDir, spec)
    this.#programs.push(program)
    void program.ended.then((reason) => this.#fail(program.explainEnd(reason)))
    return program
  }

  #fail(failure: DevError): void {
    // Ending when told to is not a failure.
    if (this.#signal.aborted) return
    this.#firstFailure = failure
    this.#failure.resolve(failure)
    this.#halt.abort()
  }
}

async function answers(url: string): Promise<true | undefined> {
  try {
    return (await fetch(url)).ok || undefined
  } catch {
    return undefined
  }
}

function readKey(line: string): string {
  const answer: unknown = JSON.parse(line)
  const key = typeof answer === 'object' && answer !== null && 'key' in answer ? answer.key : undefined
  return typeof key === 'string' ? key : ''
}
