import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Random } from '@skein/testkit'
import { DescribedRequests } from '../../packages/server/test/code-hosts/described-requests.ts'
import { startGitHub, type GitHubEmulator } from '../../packages/server/test/code-hosts/github-emulator.ts'

/** How often an answer gets lost after the host has taken a comment, as if the server had been killed just then. */
const LOST = 0.2
const ANYWHERE = 'http://front'

interface Taken {
  readonly status: number
  readonly text: string
}

interface Entry {
  readonly id: number
  readonly body: string
}

/**
 * The emulator, and what it lacks: replies in the form that GitHub has now, GraphQL, and pushes. It also shows comments
 * only once they are published, so that all comments of a review appear at once.
 */
export class GitHubFront {
  readonly emulator: GitHubEmulator
  readonly #server: Server
  readonly #random: Random
  readonly #commits = new Map<number, number>()
  readonly #hidden = new Set<string>()
  /** What it said about each installation. It says the same each time, but not more than 5,000 times in an hour. */
  readonly #installations = new Map<string, Promise<Taken>>()
  /** Every comment that our servers have posted, by the repository and the number. */
  readonly #posted = new Map<string, string[]>()
  readonly described = new DescribedRequests(ANYWHERE)
  requests = 0
  lostAnswers = 0

  private constructor(emulator: GitHubEmulator, random: Random) {
    this.emulator = emulator
    this.#random = random
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    })
  }

  static async start(random: Random): Promise<GitHubFront> {
    const front = new GitHubFront(await startGitHub(), random)
    await new Promise<void>((resolve) => front.#server.listen(0, '127.0.0.1', resolve))
    return front
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    await this.emulator.close()
  }

  /** Another commit, as after a force-push. */
  push(number: number): void {
    this.#commits.set(number, (this.#commits.get(number) ?? 0) + 1)
  }

  /** A comment that nobody sees before it is published. On a line if there is one. */
  async write(number: number, body: string, by: 'alice' | 'mallory', line = 0): Promise<string> {
    const [kind, path] = line > 0 ? ['c', 'pulls'] : ['i', 'issues']
    const place = line > 0 ? { path: 'README.md', line, side: 'RIGHT' } : {}
    // Hidden before it is there: the text is unique.
    this.#hidden.add(body)
    const comment = (await this.emulator.post(
      `/repos/acme/shop/${path}/${number}/comments`,
      { body, ...place },
      by,
    )) as Entry
    return `${kind}${comment.id}`
  }

  /** What the host has taken from our servers, whether or not they got an answer. */
  postedOn(number: number, repo = 'shop'): readonly string[] {
    return this.#posted.get(`${repo}/${number}`) ?? []
  }

  publish(bodies: readonly string[]): void {
    for (const body of bodies) this.#hidden.delete(body)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const sent = Buffer.concat(chunks).toString()
    const path = request.url ?? ''
    const { method = '' } = request
    this.requests += 1
    this.described.note(`${ANYWHERE}${path}`, { method, ...(sent !== '' && { body: sent }) })
    if (path === '/graphql') return send(response, 200, { data: {} })
    const reply = /^(.*\/comments)\/(\d+)\/replies$/.exec(path)
    const asked = reply
      ? {
          path: reply[1] ?? '',
          body: JSON.stringify({ ...JSON.parse(sent), in_reply_to_id: Number(reply[2]) }),
        }
      : { path, body: sent }
    const { status, text } = await this.#ask(request, asked)
    if (request.method === 'POST' && asked.path.endsWith('/comments')) {
      this.#notePosted(asked.path, text)
      if (this.#random.chance(LOST)) {
        this.lostAnswers += 1
        response.destroy()
        return
      }
    }
    send(response, status, this.#adapt(path, text === '' ? {} : JSON.parse(text)))
  }

  async #ask(request: IncomingMessage, asked: { path: string; body: string }): Promise<Taken> {
    if (!asked.path.endsWith('/installation')) return this.#pass(request, asked)
    const known = this.#installations.get(asked.path) ?? this.#pass(request, asked)
    this.#installations.set(asked.path, known)
    const taken = await known
    if (taken.status !== 200) this.#installations.delete(asked.path)
    return taken
  }

  async #pass(request: IncomingMessage, { path, body }: { path: string; body: string }): Promise<Taken> {
    const answer = await fetch(`${this.emulator.url}${path}`, {
      method: request.method ?? 'GET',
      headers: {
        authorization: request.headers.authorization ?? '',
        accept: request.headers.accept ?? '*/*',
        'content-type': 'application/json',
      },
      ...(body !== '' && { body }),
    })
    return { status: answer.status, text: await answer.text() }
  }

  #notePosted(path: string, text: string): void {
    const [, repo = '', number = ''] = /\/([^/]+)\/(?:pulls|issues)\/(\d+)\/comments$/.exec(path) ?? []
    const { body } = JSON.parse(text) as Partial<Entry>
    if (body !== undefined)
      this.#posted.set(`${repo}/${number}`, [...this.postedOn(Number(number), repo), body])
  }

  #adapt(path: string, body: unknown): unknown {
    if (Array.isArray(body)) return body.filter((entry: Entry) => !this.#hidden.has(entry.body))
    const number = Number(/\/pulls\/(\d+)$/.exec(path)?.[1] ?? 0)
    const pushes = this.#commits.get(number)
    if (pushes === undefined) return body
    const pull = body as { head: object }
    return { ...pull, head: { ...pull.head, sha: String(pushes).padStart(40, '0') } }
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
