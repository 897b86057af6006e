import { join } from 'node:path'
import { PAGE_SECRET } from '@skein/testkit'
import { findFreePort } from '../../../host/src/index.ts'
import { cookieFor, SAME_ORIGIN } from '../../../server/test/browser.ts'
import { startCliWorld, type CliWorld } from '../cli-world.ts'

type Environment = Readonly<Record<string, string>>

/** A server whose dashboard has an address, so that people can confirm a login there. */
export async function startLoginWorld(): Promise<{ world: CliWorld; person: Person }> {
  const port = await findFreePort()
  const settings = { SKEIN_PUBLIC_URL: `http://127.0.0.1:${port}` }
  const world = await startCliWorld({ withoutRunner: true, port, settings })
  return { world, person: await Person.of(world) }
}

/** A terminal with a profile file of its own, in which nobody has signed in. */
export function newTerminal({ folder }: CliWorld): { path: string; env: Record<string, string> } {
  const path = join(folder, `config-${Math.random()}.json`)
  return { path, env: { SKEIN_URL: '', SKEIN_API_KEY: '', SKEIN_CONFIG: path, BROWSER: 'true' } }
}

/** A person with a browser, in which they are signed in, and a terminal. */
export class Person {
  readonly #world: CliWorld
  readonly #cookie: string

  private constructor(world: CliWorld, cookie: string) {
    this.#world = world
    this.#cookie = cookie
  }

  static async of(world: CliWorld): Promise<Person> {
    return new Person(world, await cookieFor(world.server, world.tenant.admin))
  }

  async asPage(to: string, body: object): Promise<Record<string, unknown>> {
    const headers = { ...SAME_ORIGIN, 'x-skein-page-secret': PAGE_SECRET, cookie: this.#cookie }
    const answer = await this.#world.server.anonymous.post(to, body, { headers })
    if (answer.status !== 200) throw new Error(answer.text)
    return answer.body
  }

  /** Runs `skein login` and gives what it prints to the person, who may then do something. */
  async logIn(env: Environment, option: string, decide: (said: string) => Promise<void>) {
    const child = this.#world.start(['login', '--url', this.#world.baseUrl, option], env)
    let [said, printed, isDecided] = ['', '', false]
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve))
    for await (const chunk of child.stderr as AsyncIterable<Buffer>) {
      said += chunk.toString()
      if (isDecided || !/id=[0-9a-f-]{36}|code: \S{9}/.test(said)) continue
      isDecided = true
      await decide(said)
    }
    return { said, printed, exitCode: await exitCode }
  }

  confirmInBrowser(isAllowed = true): (said: string) => Promise<void> {
    return async (said) => {
      const loginId = /id=([0-9a-f-]{36})/.exec(said)?.[1]
      const { redirectUrl } = await this.asPage('/v1/login/decide', { loginId, isAllowed })
      // Others on the machine can reach the port, and bring nothing.
      const url = new URL(String(redirectUrl))
      const answers = [(await fetch(new URL('/?login=other&code=x', url))).status]
      for (const wrong of ['/favicon.ico', '//', `/?login=${loginId}`])
        answers.push((await fetch(url.origin + wrong)).status)
      const page = await (await fetch(url)).text()
      if (answers.join(' ') !== '200 404 404 404' || !page.includes('close this page'))
        throw new Error(`It answered ${answers.join(' ')} and ${page}`)
    }
  }
}
