import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { Gate } from '@skein/host'
import type { FrontHandler, FrontService } from '../front/front.ts'
import { gitEnvironment, type GitConfig } from '../git/git-environment.ts'
import { GitError } from '../git/git-error.ts'
import type { MirrorCache } from '../git/mirror-cache.ts'
import type { Repo } from '../git/repo-address.ts'
import { forwardPush, quarantineEnv } from './forward-push.ts'
import { readBody, startBackend, type BackendProcess } from './http-backend.ts'
import { hasSaneCommands } from './push-commands.ts'
import { listPushedFiles } from './pushed-files.ts'
import {
  installReceiveHook,
  isCreation,
  isDeletion,
  readPush,
  sendVerdict,
  type ReceivedPush,
  type RefUpdate,
} from './receive-hook.ts'

export interface GitFrontOptions {
  readonly mirrors: MirrorCache
  /** Folder for the hook: one of the runner's own that allows executables. */
  readonly hooksDir: string
  readonly hostEnv?: Readonly<NodeJS.ProcessEnv>
  readonly maxPushBytes?: number
  readonly maxFiles?: number
  /** Fetches within this time share one refresh. */
  readonly refreshEveryMs?: number
}

/** What a token's holder may do. */
export interface GitGrant {
  readonly repos: ReadonlyMap<string, Repo>
  readonly canFetch: boolean
  readonly writableRefs: readonly string[]
  /** Called for each branch, after the upstream accepted it and before the client is told. */
  readonly onPush: (push: Push) => void | Promise<void>
}

export interface Push {
  /** The repository's folder and URL. */
  readonly repo: string
  readonly url: string
  readonly ref: string
  /** What the branch was at; empty for a new one. */
  readonly before: string
  /** Empty if the branch was deleted. */
  readonly commit: string
  readonly files: readonly string[]
}

const PLACE =
  /^\/([A-Za-z0-9_-]{16,128})\/([A-Za-z0-9][A-Za-z0-9._-]*)\.git\/(info\/refs|git-upload-pack|git-receive-pack)(?:\?([^]*))?$/
/** Per token: this many are handled concurrently, and this many more may wait. */
const AT_ONCE = 2
const MAX_WAITING = 16
/** For sending what is fetched, or receiving and checking what is pushed. */
const EXCHANGE_TIMEOUT_MS = 600_000
/** What remains of it when the run is over: enough to tell the client that its push failed. */
const CLOSE_PATIENCE_MS = 2_000
const FILES_TIMEOUT_MS = 60_000
/** From our verdict to git's exit, which only moves objects and writes refs. */
const FINISH_TIMEOUT_MS = 60_000

/**
 * What agents push to and fetch from instead of the upstream. It knows whose push it is, records the files of each,
 * and holds the credential. A push succeeds only when the upstream has accepted it.
 */
export class GitFront implements FrontService {
  readonly #options: Required<GitFrontOptions>
  readonly #holders = new Map<string, Holder>()
  #hooksPath: Promise<string> | undefined

  constructor(options: GitFrontOptions) {
    this.#options = {
      hostEnv: process.env,
      maxPushBytes: 512 * 1024 * 1024,
      maxFiles: 10_000,
      refreshEveryMs: 2_000,
      ...options,
    }
  }

  open(token: string, grant: GitGrant): void {
    this.#holders.set(digest(token), { grant, gate: new Gate(AT_ONCE), closing: new AbortController() })
  }

  close(token: string): void {
    const key = digest(token)
    this.#holders.get(key)?.closing.abort()
    this.#holders.delete(key)
  }

  knownToken(_request: IncomingMessage, path: string): string | undefined {
    const token = tokenOf(path)
    return this.#holders.has(digest(token)) ? token : undefined
  }

  turnAway(request: IncomingMessage, response: ServerResponse): void {
    refuse(request, response, 403, 'This URL is not valid, or no longer valid.')
  }

  readonly handle: FrontHandler = async (request, response, path) => {
    const [, , name = '', resource = '', query = ''] = PLACE.exec(path) ?? []
    const holder = this.#holders.get(digest(tokenOf(path)))
    if (!holder) return this.turnAway(request, response)
    const { grant, gate, closing } = holder
    const repo = grant.repos.get(name)
    if (!repo) return refuse(request, response, 404, 'Repository not found.')
    if (gate.waiting >= MAX_WAITING) return refuse(request, response, 429, 'Too many concurrent requests.')
    const leave = await gate.enter(closing.signal)
    if (!leave) return this.turnAway(request, response)
    try {
      await this.#serve({ request, response, grant, signal: closing.signal, name, repo, resource, query })
    } finally {
      leave()
    }
  }

  async #serve(call: Call): Promise<void> {
    const { request, response, grant, repo, resource, query } = call
    const service = resource === 'info/refs' ? new URLSearchParams(query).get('service') : resource
    const method = resource === 'info/refs' ? 'GET' : 'POST'
    if (service !== 'git-upload-pack' && service !== 'git-receive-pack') {
      return refuse(request, response, 403, 'Only git’s smart protocol is supported.')
    }
    if (request.method !== method) return refuse(request, response, 405, `Use ${method}.`)
    const isPush = service === 'git-receive-pack'
    if (isPush ? grant.writableRefs.length === 0 : !grant.canFetch) {
      const what = isPush ? 'git push' : 'git fetch'
      return refuse(request, response, 403, `${what} is disabled: this environment has no network.`)
    }
    if (resource === 'info/refs') {
      try {
        await this.#options.mirrors.fetch(repo, this.#options.refreshEveryMs)
      } catch (error) {
        if (!(error instanceof GitError)) throw error
        return refuse(request, response, 502, error.message)
      }
    }
    const body = readBody(request)
    const isReceiving = isPush && resource !== 'info/refs'
    if (isReceiving && !(await hasSaneCommands(body))) {
      // A client that is still sending would see a broken pipe instead of the answer.
      if (body === request) await untilRead(request)
      return refuse(request, response, 413, 'The push changes too many refs.')
    }
    const backend = await this.#startBackend(call, isPush, body)
    const exchanged = limitTime(backend, call.signal)
    if (isReceiving) {
      await this.#receive(call, backend, exchanged)
    } else {
      backend.hookChannel.resume()
      response.once('close', backend.kill)
    }
    await backend.answered
    exchanged()
    response.end()
  }

  async #startBackend(
    { request, response, grant, repo, resource, query }: Call,
    isPush: boolean,
    body: Readable,
  ): Promise<BackendProcess> {
    const { mirrors, hostEnv, hooksDir, maxPushBytes } = this.#options
    this.#hooksPath ??= installReceiveHook(hooksDir)
    this.#hooksPath.catch(() => (this.#hooksPath = undefined))
    const config: GitConfig = [
      ['http.getAnyFile', 'false'],
      ['http.receivePack', String(isPush)],
      ['core.hooksPath', await this.#hooksPath],
      ['receive.autoGC', 'false'],
      ['receive.maxInputSize', String(maxPushBytes)],
      // Hides the saved work of other agents, which has a ref each.
      ['transfer.hideRefs', 'refs/skein'],
      ...grant.writableRefs.map((ref) => ['receive.hideRefs', `!${ref}`] as const),
    ]
    return startBackend({
      git: mirrors.git,
      request,
      body,
      response,
      mirrorDir: mirrors.dirOf(repo),
      resource,
      query,
      config,
      hostEnv,
    })
  }

  /** Decides about a push while git waits in its hook. Holds the mirror's lock until git has written the refs. */
  async #receive(call: Call, backend: BackendProcess, received: () => void): Promise<void> {
    const { grant, repo } = call
    const channel = backend.hookChannel
    const push = await readPush(channel)
    received()
    if (!push) {
      channel.destroy()
      return
    }
    const forbidden = push.updates.filter(({ ref }) => !grant.writableRefs.includes(ref))
    if (forbidden.length > 0) {
      return sendVerdict(channel, { isAccepted: false, lines: forbiddenLines(forbidden, grant) })
    }
    try {
      // Before taking the lock, so that no other push waits for it.
      const pushes = await this.#describe(call, push)
      const isTaken = await this.#options.mirrors.withLock(repo, () => this.#take(call, push, backend))
      if (!isTaken) return
      for (const each of pushes) await grant.onPush(each)
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      sendVerdict(channel, { isAccepted: false, lines: [error.message] })
    } finally {
      // Without a verdict, the hook rejects the push.
      channel.end()
    }
  }

  async #describe(call: Call, { updates, quarantine }: ReceivedPush): Promise<readonly Push[]> {
    const { url } = this.#options.mirrors.addressOf(call.repo)
    const pushes: Push[] = []
    for (const update of updates.filter(({ ref }) => ref.startsWith('refs/heads/'))) {
      const commit = isDeletion(update) ? '' : update.new
      const files = commit === '' ? [] : await this.#listFiles(call, commit, quarantine)
      const before = isCreation(update) ? '' : update.old
      pushes.push({ repo: call.name, url, ref: update.ref, before, commit, files })
    }
    return pushes
  }

  /** Whether the upstream accepted it. */
  async #take({ repo, signal }: Call, push: ReceivedPush, backend: BackendProcess): Promise<boolean> {
    // A run that ended while the push was waiting must not change anything anymore.
    const lines = signal.aborted
      ? ['This run has ended.']
      : await forwardPush(this.#options.mirrors, repo, push)
    sendVerdict(backend.hookChannel, { isAccepted: !lines, lines: lines ?? [] })
    if (lines) return false
    const timer = setTimeout(backend.kill, FINISH_TIMEOUT_MS)
    await backend.exited
    clearTimeout(timer)
    return true
  }

  async #listFiles({ repo, signal }: Call, commit: string, quarantine: string): Promise<readonly string[]> {
    const { mirrors, hostEnv, maxFiles } = this.#options
    const mirrorDir = mirrors.dirOf(repo)
    const env = { ...gitEnvironment(hostEnv), ...quarantineEnv(mirrorDir, quarantine) }
    const { git } = mirrors
    const query = { git, mirrorDir, commit, env, maxFiles, timeoutMs: FILES_TIMEOUT_MS, signal }
    const files = await listPushedFiles(query)
    // If the run is over, the push is rejected for that reason.
    if (files ?? signal.aborted) return files ?? []
    throw new GitError('failed', 'The files changed by this push cannot be listed: git exceeded its limits.')
  }
}

interface Holder {
  readonly grant: GitGrant
  readonly gate: Gate
  /** Aborted when the token becomes invalid. */
  readonly closing: AbortController
}

interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly grant: GitGrant
  /** Aborted when the token becomes invalid. */
  readonly signal: AbortSignal
  readonly name: string
  readonly repo: Repo
  readonly resource: string
  readonly query: string
}

/** Kills the exchange on timeout or when its token becomes invalid, until the returned function is called. */
function limitTime(backend: BackendProcess, signal: AbortSignal): () => void {
  let timer = setTimeout(backend.kill, EXCHANGE_TIMEOUT_MS)
  const hurry = (): void => {
    clearTimeout(timer)
    timer = setTimeout(backend.kill, CLOSE_PATIENCE_MS)
  }
  signal.addEventListener('abort', hurry, { once: true })
  if (signal.aborted) hurry()
  return () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', hurry)
  }
}

function forbiddenLines(forbidden: readonly RefUpdate[], { writableRefs }: GitGrant): string[] {
  const branch = writableRefs.find((ref) => ref.startsWith('refs/heads/'))?.slice('refs/heads/'.length)
  return [
    `This agent may not push to ${forbidden.map(({ ref }) => ref.replace(/^refs\/heads\//, '')).join(', ')}.`,
    ...(branch === undefined
      ? []
      : [`Its own branch is ${branch}: git push origin HEAD:refs/heads/${branch}`]),
  ]
}

/** Git shows the text to the user. */
function refuse(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  request.resume()
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}

function untilRead(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    request.once('end', resolve).once('close', resolve).resume()
  })
}

function tokenOf(path: string): string {
  return /^\/([^/?]*)/.exec(path)?.[1] ?? ''
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
