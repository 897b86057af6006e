import { expect, test } from 'vitest'
import { must } from '../../agents/agent-world.ts'
import { cookiePair, PUBLIC_URL, type ProviderWorld } from './provider-world.ts'

/** Something that people sign in with. */
export interface TestedSource {
  readonly ownerProvider: string
  readonly accounts: { readonly adele: string; readonly bob: string }
  /** The document of the provider, with the names that `provide` was given. */
  document(fields?: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** What a browser does between our two pages. Returns path and query of the second. */
  visit(url: URL, who: 'adele' | 'bob'): Promise<string>
  setGroups(who: 'adele' | 'bob', groups: readonly string[]): Promise<void>
  /** Gives a person another name, if the source can. */
  rename?(who: 'bob'): Promise<void>
}

const ADMINS = { claim: 'groups', value: 'acme:admins', role: 'admin' }
const STAFF = { claim: 'groups', value: 'acme', role: 'member' }
const EXPIRED = { status: 401, reason: 'SIGN_IN_EXPIRED' }

/** What holds for every way to sign in. The provider has to accept the paths of `first` and `second`. */
export function testEverySource(
  start: () => { readonly world: ProviderWorld; readonly source: TestedSource },
) {
  const provide = (name: string, fields: object = {}) => {
    const { world, source } = start()
    return world.provide(name, source.document({ roles: [ADMINS, STAFF], defaultRole: 'none', ...fields }))
  }

  async function comeBack(who: 'adele' | 'bob', name = 'first') {
    const { world, source } = start()
    const { url, cookie } = await world.start(name)
    return { url, cookie, back: await source.visit(url, who) }
  }

  async function signIn(who: 'adele' | 'bob', name = 'first') {
    const { cookie, back } = await comeBack(who, name)
    return start().world.finish(back, cookie)
  }

  test('a person gets an account of the provider, and the role of their groups', async () => {
    const { world, source } = start()
    await provide('first')
    const adele = must(await signIn('adele'))
    expect(adele.body).toMatchObject({
      identity: {
        ownerProvider: source.ownerProvider,
        account: source.accounts.adele,
        role: 'admin',
        token: 'identity-provider/first',
      },
    })
    expect((await world.whoami(cookiePair(adele, 'skein'))).body).toEqual(adele.body['identity'])
    expect(must(await signIn('bob')).body).toMatchObject({
      identity: { account: source.accounts.bob, role: 'member' },
    })
  })

  test('the browser is sent there with PKCE and a state, to come back to the provider’s own path', async () => {
    const { url } = await start().world.start('first')
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: PUBLIC_URL + start().world.callback('first'),
      code_challenge_method: 'S256',
    })
    for (const name of ['state', 'code_challenge']) expect(url.searchParams.get(name)).toHaveLength(43)
  })

  test('an answer works once, also for several at once', async () => {
    const { world } = start()
    const { cookie, back } = await comeBack('bob')
    const answers = await Promise.all([1, 2, 3].map(() => world.finish(back, cookie)))
    expect(answers.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([200, 401, 401])
    expect(await world.finish(back, cookie)).toMatchObject(EXPIRED)
  })

  test('an answer in another browser signs nobody in', async () => {
    const { world } = start()
    const [attacker, victim] = [await comeBack('bob'), await comeBack('adele')]
    expect(await world.finish(attacker.back, victim.cookie)).toMatchObject(EXPIRED)
    expect(await world.finish(attacker.back, undefined)).toMatchObject(EXPIRED)
    const pageSecret = 'another-page-secret-0123456789-0123456789-01'
    expect(await world.finish(victim.back, victim.cookie, { pageSecret })).toMatchObject(EXPIRED)
  })

  test('a code that somebody else got is refused by the provider, although the state is right', async () => {
    const { world } = start()
    const [attacker, victim] = [await comeBack('bob'), await comeBack('adele')]
    const theirs = new URL(attacker.back, PUBLIC_URL).searchParams.get('code') ?? ''
    const mixed = new URL(victim.back, PUBLIC_URL)
    mixed.searchParams.set('code', theirs)
    const answer = await world.finish(mixed.pathname + mixed.search, victim.cookie)
    expect(answer).toMatchObject({ status: 401, reason: 'SIGN_IN_INVALID' })
    expect(cookiePair(answer, 'skein')).toBe('')
  })

  test('an answer of one provider is refused at the path of another', async () => {
    const { world } = start()
    await provide('second')
    const { cookie, back } = await comeBack('bob')
    const mixedUp = back.replace(world.callback('first'), world.callback('second'))
    expect(await world.finish(mixedUp, cookie)).toMatchObject(EXPIRED)
  })

  test('the same person has an account for each provider, and a renamed one keeps it', async () => {
    const { source } = start()
    const second = must(await signIn('bob', 'second')).body['identity']
    expect(second).toMatchObject({ account: `${source.accounts.bob}-2` })
    await source.rename?.('bob')
    expect(must(await signIn('bob')).body['identity']).toMatchObject({ account: source.accounts.bob })
  })

  test('whoever loses a group loses its role at the next sign-in, and whoever leaves cannot sign in', async () => {
    const { world, source } = start()
    const before = cookiePair(must(await signIn('adele')), 'skein')
    await source.setGroups('adele', ['acme'])
    must(await signIn('adele'))
    expect((await world.whoami(before)).body).toMatchObject({ role: 'member' })
    await source.setGroups('adele', [])
    expect(await signIn('adele')).toMatchObject({ status: 403, reason: 'SIGN_IN_REFUSED' })
    await source.setGroups('adele', ['acme', 'acme:admins'])
    must(await signIn('adele'))
  })

  test('no secret of a sign-in is logged', async () => {
    const { world } = start()
    const { cookie, back } = await comeBack('bob')
    const session = cookiePair(must(await world.finish(back, cookie)), 'skein')
    const secrets = [
      new URL(back, PUBLIC_URL).searchParams.get('code') ?? '',
      cookie.split('=')[1] ?? '',
      session.split('=')[1] ?? '',
      's3cret',
    ]
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(5)
      expect(world.server.logLines.filter((line) => line.includes(secret))).toEqual([])
    }
  })

  test('a provider that is paused lets nobody in, and ends what it opened', async () => {
    const { world } = start()
    const cookie = cookiePair(must(await signIn('bob', 'second')), 'skein')
    await provide('second', { paused: true })
    expect((await world.whoami(cookie)).status).toBe(401)
    expect(await world.tryStart('second')).toMatchObject({ status: 404 })
  })
}
