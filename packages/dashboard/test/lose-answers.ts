import type { Page } from 'playwright-core'

const CHANGES = /\/v1\/agent\/(queue|diff\/comment|tasks\/create)$/

/** Messages and tasks reach the service, and the page never hears of it, until the connection is restored. */
export async function loseAnswers(page: Page): Promise<() => Promise<void>> {
  await page.route(CHANGES, async (route) => {
    // The browser adds this one later than where the request is caught.
    const headers = { ...route.request().headers(), 'sec-fetch-site': 'same-origin' }
    const answer = await route.fetch({ headers })
    if (!answer.ok()) throw new Error(await answer.text())
    await route.abort()
  })
  return () => page.unroute(CHANGES)
}
