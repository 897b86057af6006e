/**
 * `npm run pictures`: takes the README's pictures from a real `skein demo`: three dashboard pages and a terminal
 * session. Needs chromium, and `script` of util-linux. `--folder <folder>` creates the demo there, or uses the
 * existing one, and keeps it.
 */
import { execFile } from 'node:child_process'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { makeDataDir } from '../packages/cli/test/dev/dev-process.ts'
import { launchChromium } from '../packages/dashboard/test/chromium.ts'
import { recordCommand } from './pictures/record-terminal.ts'
import { drawTerminal, type RecordedCommand } from './pictures/terminal-svg.ts'

type Browser = Awaited<ReturnType<typeof launchChromium>>
type Page = Awaited<ReturnType<Browser['newPage']>>

interface Demo {
  readonly dashboardUrl: string
  readonly signInUrl: string
  readonly agents: readonly {
    readonly agentId: { readonly agent: readonly string[] }
    readonly dashboardUrl: string
  }[]
}

const PAGE_TIMEOUT_MS = 120_000
const TERMINAL = { columns: 100, rows: 40 }
const SESSION = [
  'skein ps --all',
  'skein diff demo/fix-split',
  'skein send demo/currencies "After the amount."',
  'skein wait demo/currencies',
]

const repository = fileURLToPath(new URL('../', import.meta.url))
const out = join(repository, 'docs', 'pictures')
const { values } = parseArgs({ options: { folder: { type: 'string' } } })
const folder = values.folder ?? (await makeFolder())
const place = { cwd: folder, env: terminalEnvironment() }

try {
  const { stdout } = await promisify(execFile)('skein', ['demo', '--json'], place)
  await takeScreenshots(JSON.parse(stdout) as Demo)
  await recordSession()
} finally {
  if (values.folder === undefined) {
    await promisify(execFile)('skein', ['demo', '--clean'], place)
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function makeFolder(): Promise<string> {
  const made = await makeDataDir()
  await mkdir(join(made, 'home'))
  return made
}

/** Without keys and URLs, except those the demo has stored. */
function terminalEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:SKEIN_|ANTHROPIC_|OPENAI_)/.test(name))
  const path = [join(repository, 'node_modules', '.bin'), process.env['PATH']].join(delimiter)
  return { ...Object.fromEntries(kept), HOME: join(folder, 'home'), PATH: path }
}

async function takeScreenshots({ signInUrl, dashboardUrl, agents }: Demo): Promise<void> {
  const pageOf = (name: string): string =>
    agents.find(({ agentId }) => agentId.agent[0] === name)?.dashboardUrl ?? dashboardUrl
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 760 } })
    page.setDefaultTimeout(PAGE_TIMEOUT_MS)
    await page.goto(signInUrl)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL((url) => url.pathname !== '/sign-in')
    await page.getByRole('button', { name: 'Tree' }).click()
    await take(page, 'dashboard-fleet', 'parse-commas')
    await page.goto(pageOf('fix-split'))
    await take(page, 'dashboard-agent', 'All four tests pass')
    await page.setViewportSize({ width: 1280, height: 440 })
    await page.goto(`${dashboardUrl}inbox`)
    await take(page, 'dashboard-inbox', 'Should the currency')
  } finally {
    await browser.close()
  }
}

/** Waits for the text to appear, because the content is loaded over the network. */
async function take(page: Page, name: string, text: string): Promise<void> {
  await page.getByText(text).first().waitFor()
  await page.evaluate(() => document.fonts.ready)
  await page.screenshot({ path: join(out, `${name}.png`), animations: 'disabled' })
  await report(`${name}.png`)
}

async function recordSession(): Promise<void> {
  const session: RecordedCommand[] = []
  for (const command of SESSION) {
    session.push({ command, output: await recordCommand(command, TERMINAL, place) })
  }
  const title = 'skein ps, diff, send and wait in a terminal'
  await writeFile(join(out, 'terminal.svg'), drawTerminal(session, { columns: TERMINAL.columns, title }))
  await report('terminal.svg')
}

async function report(file: string): Promise<void> {
  const { size } = await stat(join(out, file))
  console.log(`docs/pictures/${file}  ${Math.ceil(size / 1000)} kB`)
}
