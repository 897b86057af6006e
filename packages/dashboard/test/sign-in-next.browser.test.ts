import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeProfile, DashboardWorld } from './dashboard-world.ts'

let world: DashboardWorld
let phish: Server
let port: number
const visits: string[] = []

beforeAll(async () => {
  phish = createServer((request, response) => {
    visits.push(request.url ?? '')
    response.end('not Skein')
  })
  await new Promise<void>((resolve) => phish.listen(0, '127.0.0.1', resolve))
  port = (phish.address() as AddressInfo).port
  world = await DashboardWorld.start()
})

afterAll(async () => {
  await world.stop()
  await new Promise((resolve) => phish.close(resolve))
})

/** One of each kind; own-path.test.ts tries thousands more. */
const hostile: readonly ((place: string) => string)[] = [
  (place) => `http://${place}`,
  (place) => `//${place}`,
  (place) => `/\\${place}`,
  (place) => `/.//${place}`,
  (place) => `/\t/${place}`,
  (place) => `/%2f${place}`,
  (place) => `\u0001http://${place}`,
  () => 'javascript:document.title="taken"',
]

test('whatever `next` says, a sign-in leads to a page of the service itself', async () => {
  const page = await world.openPage()
  for (const write of hostile) {
    const next = write(`127.0.0.1:${port}/phish`)
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}`)
    await page.getByLabel('API key').fill(world.apiKey)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname !== '/sign-in')
    await page.waitForLoadState()
    expect({ next, origin: new URL(page.url()).origin }).toEqual({ next, origin: world.baseUrl })
    expect(await page.title()).not.toBe('taken')
  }
  expect(visits).toEqual([])
  await closeProfile(page)
})

test('`next` given twice is none', async () => {
  const page = await world.openPage()
  await page.goto(`/sign-in?next=/catalog&next=//127.0.0.1:${port}/phish`)
  await page.getByLabel('API key').fill(world.apiKey)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname !== '/sign-in')
  expect(page.url()).toBe(`${world.baseUrl}/`)
  await closeProfile(page)
})

test('a page with a query and a fragment is come back to', async () => {
  const page = await world.openPage()
  await page.goto(`/sign-in?next=${encodeURIComponent('/audit?kind=token#top')}`)
  await page.getByLabel('API key').fill(world.apiKey)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname !== '/sign-in')
  expect(page.url()).toBe(`${world.baseUrl}/audit?kind=token#top`)
  await closeProfile(page)
})
