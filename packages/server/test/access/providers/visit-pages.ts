import { PUBLIC_URL } from './provider-world.ts'

/** Signs in on a provider's pages and consents, as a browser does. Returns path and query of our page. */
export async function visitPages(url: URL, filled: Readonly<Record<string, string>>): Promise<string> {
  const jar = new Map<string, string>()
  let next: { readonly url: URL; readonly form?: URLSearchParams } = { url }
  for (let steps = 0; steps < 20; steps++) {
    const { url: at, form } = next
    if (at.origin === PUBLIC_URL) return at.pathname + at.search
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';', 1)[0] ?? '').split('=')
      jar.set(name, value)
    }
    const location = response.headers.get('location')
    next = location === null ? fillIn(at, await response.text(), filled) : { url: new URL(location, at) }
  }
  throw new Error(`${url.host} never sent the browser back`)
}

/** The form of the page: the one with the password, or the one that asks for consent. */
function fillIn(at: URL, html: string, filled: Readonly<Record<string, string>>) {
  const forms = [...html.matchAll(/<form[^>]*>[\s\S]*?<\/form>/g)].map(([text]) => text)
  const found = forms.find((text) => text.includes('type="password"') || text.includes('oauth/grant'))
  if (found === undefined) throw new Error(`No form at ${at.href}`)
  const action = /<form[^>]*action="([^"]*)"/.exec(found)?.[1] ?? at.href
  const form = new URLSearchParams()
  for (const [input] of found.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1]
    if (name !== undefined) form.set(name, decode(/value="([^"]*)"/.exec(input)?.[1] ?? ''))
  }
  const isSignIn = found.includes('type="password"')
  for (const [name, value] of Object.entries(isSignIn ? filled : { granted: 'true' })) form.set(name, value)
  return { url: new URL(decode(action), at), form }
}

function decode(text: string): string {
  return text.replaceAll('&#43;', '+').replaceAll('&#34;', '"').replaceAll('&amp;', '&')
}
