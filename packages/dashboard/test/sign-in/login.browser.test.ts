import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAIN } from '../../../cli/test/run-process.ts'
import { closeProfile, DashboardWorld } from '../dashboard-world.ts'
import { look } from './look.ts'

const folder = mkdtempSync(join(tmpdir(), 'skein-login-'))

let world: DashboardWorld

beforeAll(async () => {
  world = await DashboardWorld.start()
})

afterAll(async () => {
  await world.stop()
  rmSync(folder, { recursive: true })
})

/** Starts `skein login`, and waits for what the person needs. */
function startLogin(option: string, pattern: RegExp) {
  const env = { PATH: process.env['PATH'], HOME: folder, BROWSER: 'true' }
  const child = spawn(process.execPath, [MAIN, 'login', '--url', world.baseUrl, option], { env, cwd: folder })
  let [said, printed] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(printed)))
  const needed = new Promise<string>((resolve) =>
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const found = pattern.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    }),
  )
  return { needed, ended, stop: () => child.kill() }
}

test('a link opens the dashboard, where the person signs in, confirms and is sent back to the command line', async () => {
  const { needed, ended } = startLogin('--browser', /(http\S+\/login\?id=\S+)/)
  const page = await world.openPage()
  await page.goto(await needed)
  await page.getByLabel('API key').fill(world.apiKey)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const confirm = page.getByRole('button', { name: 'Sign it in' })
  await confirm.waitFor()
  await page.getByText('127.0.0.1 (same as yours)').waitFor()
  await look(page, 'login-browser')
  await confirm.click()
  await page.getByText('You can close this page and go back to your terminal.').waitFor()
  expect(await ended).toContain('You are dev')
  await page.goto('/sessions')
  await page.getByText(/^Command line/).waitFor()
  await look(page, 'login-sessions')
  await closeProfile(page)
})

test.each([
  ['desktop', {}],
  ['phone', { width: 390, height: 844, isDark: true }],
])('a code is typed and compared: %s', async (size, options) => {
  const { needed, ended } = startLogin('--device', /code: (\S{9})/)
  const code = await needed
  const page = await world.openSignedIn('/login', options)
  await page.getByLabel('Code').fill('BBBB-BBBB')
  await page.keyboard.press('Enter')
  await page.getByText('LOGIN_NOT_FOUND').waitFor()
  await look(page, `login-code-${size}`)
  await page.getByLabel('Code').fill(code.toLowerCase())
  await page.keyboard.press('Enter')
  await page.getByText('A command line asks to act as').waitFor()
  await look(page, `login-confirm-${size}`)
  const isRefused = size === 'phone'
  await page.getByRole('button', { name: isRefused ? 'Refuse' : 'Sign it in' }).click()
  await page.getByText(isRefused ? 'was refused' : 'is signed in').waitFor()
  await look(page, `login-done-${size}`)
  expect((await ended).includes('You are dev')).toBe(!isRefused)
  await closeProfile(page)
})

test('a code in a link is not used', async () => {
  const { needed, stop } = startLogin('--device', /code: (\S{9})/)
  const code = await needed
  const page = await world.openSignedIn(`/login?code=${code}&userCode=${code}&id=${code}`)
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('button', { name: 'Sign it in' }).count()).toBe(0)
  stop()
  await closeProfile(page)
})

test('the pages complained of nothing', () => {
  expect(world.complaints).toEqual([])
})
