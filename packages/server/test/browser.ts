import { PAGE_SECRET, type TestAnswer, type TestClient, type TestServer } from '@skein/testkit'

/** What a browser adds to a request of a page that the service served. */
export const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin', 'x-skein-page-secret': PAGE_SECRET }

/** Signs in as the dashboard does. */
export function signInWith({ anonymous }: TestServer, apiKey: string): Promise<TestAnswer> {
  return anonymous.post('/v1/session', { apiKey, pageSecret: PAGE_SECRET }, { headers: SAME_ORIGIN })
}

/** The `Cookie` header that a browser sends back. */
export async function cookieFor(server: TestServer, { key = '' }: TestClient): Promise<string> {
  const answer = await signInWith(server, key)
  if (answer.status !== 200) throw new Error(`No session: ${answer.text}`)
  return cookieOf(answer)
}

export function cookieOf({ headers }: TestAnswer): string {
  return (headers['set-cookie'] ?? '').split(';', 1)[0] ?? ''
}
