import type { TestAnswer } from '@skein/testkit'
import { must } from '../../agents/agent-world.ts'
import { SAME_ORIGIN } from '../../browser.ts'
import { visitFake } from './code-host-source.ts'
import { cookiePair, type ProviderWorld } from './provider-world.ts'

export interface StartedLink {
  readonly url: URL
  readonly flow: string
}

/** Browsers that link accounts. */
export class LinkWorld {
  readonly #world: ProviderWorld

  constructor(world: ProviderWorld) {
    this.#world = world
  }

  tryStart(session: string, name: string): Promise<TestAnswer> {
    const headers = { cookie: session, ...SAME_ORIGIN }
    return this.#world.server.anonymous.post('/v1/account/links', { name }, { headers })
  }

  async start(session: string, name: string): Promise<StartedLink> {
    const answer = must(await this.tryStart(session, name))
    return { url: new URL(String(answer.body['url'])), flow: cookiePair(answer, 'skein-sign-in') }
  }

  finish(session: string, flow: string, returnedTo: string): Promise<TestAnswer> {
    const headers = { cookie: [session, flow].filter(Boolean).join('; '), ...SAME_ORIGIN }
    return this.#world.server.anonymous.post('/v1/account/links/finish', { returnedTo }, { headers })
  }

  /** Links the account of a person of the code host to that of the session. */
  async tryToLink(session: string, name: string, who: string): Promise<TestAnswer> {
    const { url, flow } = await this.start(session, name)
    return this.finish(session, flow, await visitFake(url, who))
  }

  async list(session: string): Promise<Record<string, unknown>> {
    const headers = { cookie: session, ...SAME_ORIGIN }
    return must(await this.#world.server.anonymous.get('/v1/account/links', { headers })).body
  }

  async accounts(session: string): Promise<string[]> {
    const { links } = (await this.list(session)) as { links: { account: string }[] }
    return links.map(({ account }) => account)
  }

  unlink(session: string, name: string, query: Readonly<Record<string, string>> = {}): Promise<TestAnswer> {
    const headers = { cookie: session, ...SAME_ORIGIN }
    return this.#world.server.anonymous.delete(`/v1/account/links/${name}`, { headers, query })
  }
}
