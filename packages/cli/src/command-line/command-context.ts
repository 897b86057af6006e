import { Skein, type Agent } from '@skein/client'
import type { Command } from 'commander'
import type { Io } from '../io.ts'
import type { Asker } from '../keyring/keyring.ts'
import { readProfile, type Profile } from '../profile/profile.ts'
import { keyOf } from '../profile/renew-key.ts'
import { readDefaultWorkspace } from '../profile/read-default-workspace.ts'
import { formatJson } from '../output/clean-text.ts'
import { UsageError } from './usage-error.ts'
import { userAgentOf } from '../version.ts'

interface GlobalOptions {
  readonly json?: true
  readonly profile?: string
}

/** What every command works with. The profile is read on demand: help needs none. */
export class CommandContext {
  readonly io: Io
  readonly #program: Command
  readonly #isJsonTyped: boolean
  #skein: Skein | undefined
  #profile: Promise<Profile> | undefined
  /** The server this command talks to, once known. */
  server: Profile | undefined
  /** The exit code unless an error is thrown. */
  exitCode = 0
  /** Full names of the agents this command was about. */
  readonly namedAgents: string[] = []

  constructor(program: Command, io: Io, args: readonly string[] = []) {
    this.#program = program
    this.io = io
    this.#isJsonTyped = args.includes('--json')
  }

  /** Also checks the raw arguments: parsing stops early if the command line is wrong. */
  get isJson(): boolean {
    return this.#options.json === true || this.#isJsonTyped
  }

  get profileName(): string | undefined {
    return this.#options.profile
  }

  get #options(): GlobalOptions {
    return this.#program.opts()
  }

  profile(): Promise<Profile> {
    this.#profile ??= this.#readProfile()
    return this.#profile
  }

  async #readProfile(): Promise<Profile> {
    const place = { env: this.io.env, name: this.profileName, cwd: process.cwd() }
    this.server = await readProfile(place)
    if (this.server.notice !== undefined) this.note(this.server.notice)
    return this.server
  }

  async skein(): Promise<Skein> {
    const profile = await this.profile()
    const apiKey = keyOf(this.#asker, profile)
    this.#skein ??= new Skein({
      baseUrl: profile.url,
      apiKey,
      userAgent: userAgentOf('skein-cli'),
      // The command before may have changed what this one reads.
      readLatest: true,
    })
    return this.#skein
  }

  get #asker(): Asker {
    return { env: this.io.env, canAsk: this.io.canAsk, note: (text) => this.note(text) }
  }

  /** The agent a person names. Asks the service only if the name has no workspace. */
  async agent(name: string): Promise<Agent> {
    const skein = await this.skein()
    const full = name.includes('/')
      ? name
      : `${await readDefaultWorkspace(skein, await this.profile())}/${name}`
    this.namedAgents.push(full)
    try {
      return skein.agent(full)
    } catch (error) {
      throw new UsageError(error instanceof Error ? error.message : String(error), 'See them with: skein ps')
    }
  }

  /** One result: a JSON document for programs, text for people. */
  print(document: unknown, text: () => string): void {
    this.io.print(this.isJson ? formatJson(document, 2) : text())
  }

  /** One of many results: a JSON line for programs, text for people. */
  printLine(document: unknown, text: () => string | undefined): void {
    const line = this.isJson ? formatJson(document) : text()
    if (line !== undefined) this.io.print(line)
  }

  /** Information for people only. */
  note(text: string): void {
    if (!this.isJson) this.io.note(text)
  }
}
