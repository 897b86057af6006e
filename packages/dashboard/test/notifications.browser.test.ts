import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeProfile, DashboardWorld, findBarriers, signIn } from './dashboard-world.ts'
import { scripted } from './fleet/seed-fleet.ts'

interface Shown {
  readonly title: string
  readonly body: string
}

let world: DashboardWorld
let page: Page

/** Chromium without a screen shows no notifications, so the page gets a class that keeps them. */
function keepNotifications(): void {
  class KeptNotification extends EventTarget {
    static permission = 'default'
    static readonly shown: KeptNotification[] = []
    readonly title: string
    readonly body: string

    constructor(title: string, { body }: { readonly body: string }) {
      super()
      this.title = title
      this.body = body
      KeptNotification.shown.push(this)
    }

    static requestPermission(): Promise<string> {
      KeptNotification.permission = 'granted'
      return Promise.resolve('granted')
    }

    close(): void {
      KeptNotification.shown.splice(KeptNotification.shown.indexOf(this), 1)
    }
  }
  Object.assign(window, { Notification: KeptNotification })
  // The user looks at something else.
  document.hasFocus = () => false
}

const shown = () =>
  page.evaluate(() =>
    (Notification as unknown as { shown: Shown[] }).shown.map(({ title, body }) => ({ title, body })),
  )

const ask = (name: string) =>
  world.skein.spawn({
    name,
    workspace: 'sample',
    description: scripted('Ask something.', [
      { tool: 'ask_for_input', input: { question: 'Is it **blue** or green?' } },
      { say: 'I wait.' },
    ]),
  })

beforeAll(async () => {
  world = await DashboardWorld.start()
  page = await world.openPage()
  await page.addInitScript(keepNotifications)
  await signIn(page, world.apiKey)
})

afterAll(async () => {
  await closeProfile(page)
  await world.stop()
})

test('nobody is notified who has not asked for it; then a question is shown and leads to its agent', async () => {
  const menu = page.getByRole('button', { name: 'dev', exact: false }).last()
  await menu.click()
  const isReady = page.waitForRequest((request) => request.url().endsWith('/v1/fleet/watch'))
  await page.getByRole('menuitem', { name: 'Notifications: off' }).click()
  await isReady
  await ask('asker')
  await expect
    .poll(shown, { timeout: 120_000 })
    .toEqual([{ title: 'sample/asker asks', body: 'Is it blue or green?' }])
  await page.evaluate(() => {
    const [first] = (Notification as unknown as { shown: EventTarget[] }).shown
    first?.dispatchEvent(new Event('click'))
  })
  await page.waitForURL('**/sample/asker')
  expect(await shown()).toEqual([])
})

test('it can be switched off again', async () => {
  await page.getByRole('button', { name: 'dev', exact: false }).last().click()
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('menuitem', { name: 'Notifications: on' }).click()
  await page.getByRole('button', { name: 'dev', exact: false }).last().click()
  await page.getByRole('menuitem', { name: 'Notifications: off' }).waitFor()
  expect(world.complaints).toEqual([])
})
