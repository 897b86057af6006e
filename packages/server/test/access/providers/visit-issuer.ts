import { PUBLIC_URL } from './provider-world.ts'

/** What a browser does between our two pages. Returns path and query of the second. */
export async function visitIssuer(url: URL, hint: string): Promise<string> {
  const jar = new Map<string, string>()
  let at = new URL(url)
  at.searchParams.set('login_hint', hint)
  for (;;) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';', 1)[0] ?? '').split('=')
      jar.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`No redirect from ${at.href}: ${await response.text()}`)
    at = new URL(location, at)
    if (at.origin === PUBLIC_URL) return at.pathname + at.search
  }
}
