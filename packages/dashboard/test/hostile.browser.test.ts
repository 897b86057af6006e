import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeProfile, DashboardWorld, signIn } from './dashboard-world.ts'
import { AutomationWorld } from './automations/automation-world.ts'
import { scripted } from './fleet/seed-fleet.ts'

/** Each does the same when a page lets it: it leaves a mark on the window. */
const ATTACK = [
  '<script>window.pwned = 1</script>',
  '<img src="x" onerror="window.pwned = 2">',
  '"><svg onload="window.pwned = 3">',
  '[a link](javascript:window.pwned=4)',
  '<a href="javascript:window.pwned=5" id="bait">click</a>',
  '![a picture](https://evil.example.com/seen.png)',
  '<iframe srcdoc="<script>parent.pwned = 6</script>"></iframe>',
  '{{constructor.constructor("window.pwned = 7")()}}',
].join('\n\n')
const SHORT = '<img src=x onerror=window.pwned=8>'

let world: DashboardWorld
let automations: AutomationWorld
let page: Page
const requested: string[] = []
let unfolded = 0

beforeAll(async () => {
  world = await DashboardWorld.start(AutomationWorld.SETTINGS)
  automations = await AutomationWorld.seed(world, { text: ATTACK, short: SHORT })
  const { skein } = world
  await skein.catalog.put('persona', 'trap', {
    description: SHORT,
    prompt: ATTACK,
    model: (await skein.catalog.get('persona', 'default')).document['model'],
  })
  const agent = await skein.spawn({
    name: 'trap',
    workspace: 'sample',
    description: scripted(ATTACK, [
      { say: ATTACK, shell: `printf '%s' '${ATTACK.replaceAll("'", '')}'` },
      { write: { path: 'x/<img src=x onerror=window.pwned=9>.md', text: ATTACK } },
      { shell: 'git add -A && git commit -qm "<script>window.pwned=10</script>" && git push -q origin HEAD' },
      { tool: 'ask_for_input', input: { question: ATTACK } },
      { say: ATTACK },
    ]),
    expectedOutput: ATTACK,
    tasks: [{ id: 'one', subject: SHORT, description: ATTACK }],
    labels: { team: SHORT },
    outputSchema: JSON.stringify({ type: 'object', description: ATTACK }),
  })
  await agent.send(ATTACK, { id: 'later', deliverAt: new Date(Date.now() + 3_600_000).toISOString() })
  await agent.wait()
  page = await world.openPage()
  page.on('request', (request) => requested.push(request.url()))
  await signIn(page, world.apiKey)
})

afterAll(async () => {
  await closeProfile(page)
  await world.stop()
  await automations.close()
})

/** Opens whatever is folded away: that is where tool output is. */
async function unfold(): Promise<void> {
  const folded = page.locator('main details:not([open]) > summary')
  // Each click takes one out of what the locator finds.
  for (; (await folded.count()) > 0; unfolded += 1) await folded.first().click()
}

const AGENT = '/agents/codehost_oauth/dev/sample/trap'

test.each([
  '/?ended=true',
  '/?view=tree&ended=true',
  '/inbox',
  AGENT,
  `${AGENT}?tab=tasks`,
  `${AGENT}?tab=queue`,
  `${AGENT}?tab=children`,
  `${AGENT}?tab=runs`,
  `${AGENT}?tab=branches`,
  `${AGENT}?tab=settings`,
  '/spawn?parent=sample/trap',
  '/catalog/persona',
  '/catalog/persona/trap',
  '/audit',
  '/automations',
  '/automations?tab=triggers',
  '/automations?tab=schedules',
  '/automations/integrations/chat',
  '/automations/triggers/tickets',
  '/automations/schedules/nightly-deps',
  `/?text=${encodeURIComponent(SHORT)}&workspace=${encodeURIComponent(SHORT)}`,
  `/sign-in?next=${encodeURIComponent('javascript:window.pwned=11')}`,
])('%s shows what it was given as text, and runs none of it', async (path) => {
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForTimeout(500)
  await unfold()
  const found = await page.evaluate(() => ({
    mark: (window as { pwned?: number }).pwned,
    elements: document.querySelectorAll(
      'main img[src="x"], main iframe, main svg[onload], main script, #bait',
    ).length,
    links: [...document.querySelectorAll('a')].filter((link) => link.protocol === 'javascript:').length,
  }))
  expect(found).toEqual({ elements: 0, links: 0 })
})

test('tool output was among what was looked at', () => {
  expect(unfolded).toBeGreaterThan(0)
})

test('nothing was asked of anyone but the page’s own server', () => {
  expect(requested.filter((url) => !url.startsWith(world.baseUrl) && !url.startsWith('data:'))).toEqual([])
})

test('the policy had nothing to refuse, because nothing tried', () => {
  expect(world.complaints).toEqual([])
})
