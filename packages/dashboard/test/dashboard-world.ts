import { Skein } from '@skein/client'
import { PAGE_SECRET } from '@skein/testkit'
import axe from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { makeDataDir, removeDataDir, startDevProcess, type ReadyDev } from '../../cli/test/dev/dev-process.ts'
import { launchChromium } from './chromium.ts'

export interface PageOptions {
  readonly width?: number
  readonly height?: number
  readonly isDark?: boolean
}

const PATIENCE_MS = 120_000

/** A whole Skein with the model simulator, and a real browser to look at it. */
export class DashboardWorld {
  readonly dev: ReadyDev
  readonly baseUrl: string
  readonly apiKey: string
  /** Another way in, beside the browser: what a script or a colleague does meanwhile. */
  readonly skein: Skein
  readonly #dataDir: string
  readonly #browser: Browser
  /** What pages complained of: errors, refusals of the content security policy. Tests expect none. */
  readonly complaints: string[] = []

  private constructor(dev: ReadyDev, dataDir: string, browser: Browser) {
    this.dev = dev
    this.baseUrl = dev.baseUrl
    this.apiKey = dev.apiKey
    this.skein = new Skein({ baseUrl: dev.baseUrl, apiKey: dev.apiKey })
    this.#dataDir = dataDir
    this.#browser = browser
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<DashboardWorld> {
    const dataDir = await makeDataDir()
    const [dev, browser] = await Promise.all([
      startDevProcess(dataDir, env, '--sandbox', 'process'),
      launchChromium(),
    ])
    return new DashboardWorld(dev, dataDir, browser)
  }

  async stop(): Promise<void> {
    await this.#browser.close()
    this.dev.signal('SIGINT')
    await this.dev.exitCode
    await removeDataDir(this.#dataDir)
  }

  /** A page of a new browser profile, not signed in. */
  openPage(options: PageOptions = {}): Promise<Page> {
    return this.#openPage(options)
  }

  /** Signs in without the form, which has tests of its own: loading one more page takes seconds. */
  async openSignedIn(path = '/', options: PageOptions = {}): Promise<Page> {
    const localStorage = [{ name: 'skein-page-secret', value: PAGE_SECRET }]
    const page = await this.#openPage(options, {
      cookies: [],
      origins: [{ origin: this.baseUrl, localStorage }],
    })
    const userAgent = await page.evaluate(() => navigator.userAgent)
    await page.context().addCookies([await startSession(this.baseUrl, this.apiKey, userAgent)])
    await page.goto(path)
    return page
  }

  async #openPage(
    { width = 1440, height = 900, isDark = false }: PageOptions,
    storageState?: StorageState,
  ): Promise<Page> {
    const context = await this.#browser.newContext({
      ...(storageState && { storageState }),
      viewport: { width, height },
      colorScheme: isDark ? 'dark' : 'light',
      baseURL: this.baseUrl,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    // A machine that others use may take ten times as long as ours.
    context.setDefaultTimeout(PATIENCE_MS)
    return this.#watchPage(await context.newPage())
  }

  #watchPage(page: Page): Page {
    page.on('pageerror', (error) => this.complaints.push(error.message))
    page.on('console', (message) => {
      // A refused request is the journey's own matter; the browser reports each as an error too.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.complaints.push(message.text())
    })
    return page
  }
}

type StorageState = Exclude<BrowserContextOptions['storageState'], string | undefined>
type Cookie = Parameters<BrowserContext['addCookies']>[0][number]

/** The cookie of a new session, as the page would get it. */
async function startSession(baseUrl: string, apiKey: string, userAgent: string): Promise<Cookie> {
  const response = await fetch(`${baseUrl}/v1/session`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      'user-agent': userAgent,
    },
    body: JSON.stringify({ apiKey, pageSecret: PAGE_SECRET }),
  })
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(response.headers.getSetCookie()[0] ?? '') ?? []
  if (name === undefined || value === undefined) throw new Error(`No session: ${await response.text()}`)
  return { name, value, url: baseUrl, httpOnly: true, sameSite: 'Strict' }
}

export async function signIn(page: Page, apiKey: string, baseUrl = ''): Promise<void> {
  await page.goto(`${baseUrl}/sign-in`)
  await page.getByLabel('API key').fill(apiKey)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname !== '/sign-in')
}

/** Closes a page with its whole browser profile. */
export async function closeProfile(page: Page): Promise<void> {
  const context: BrowserContext = page.context()
  await context.close()
}

/** What axe finds that keeps people out, one line each. */
export async function findBarriers(page: Page): Promise<string[]> {
  // The page's own policy refuses scripts from outside, as it should; the debugger may still run one.
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const { axe: engine } = window as unknown as {
      readonly axe: {
        run(options: { readonly resultTypes: readonly string[] }): Promise<{
          violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[]
        }>
      }
    }
    // Without this, it also describes every element that passed, which takes most of the time.
    return (await engine.run({ resultTypes: ['violations'] })).violations
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`))
}
