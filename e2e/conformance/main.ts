/**
 * `npm run test:conformance`: a black-box test. Starts `skein dev`, talks to it over HTTP like any client, and
 * prints a row for each promise of the interface. Imports nothing from the project.
 */
import { Api } from './api.ts'
import { Book, titleOf, type Row } from './book.ts'
import { EveryAnswer } from './every-answer.ts'
import { Installation } from './installation.ts'
import { readOptions, USAGE } from './options.ts'
import { ALONE, SCENARIOS } from './scenarios.ts'

const AT_ONCE = 4

const options = readOptions(process.argv.slice(2))
if (options.help) console.log(USAGE)
else if (options.list) console.log(Object.keys({ ...SCENARIOS, ...ALONE }).join('\n'))
else {
  await test()
  // An open keep-alive connection must not delay the exit.
  process.exit()
}

async function test(): Promise<void> {
  const startedAt = performance.now()
  const installation = await Installation.start()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(name, () => void installation.stop().finally(() => process.exit(130)))
  const rows: Row[] = []
  try {
    rows.push(...(await ask(installation)))
  } finally {
    const book = new Book('skein dev')
    book.row('it stops when it is told to', await installation.stop())
    rows.push(...print(book))
  }
  const failed = rows.filter(({ holds }) => !holds)
  if (failed.length > 0) console.log(`\nFailed:\n${failed.map((row) => `  ${titleOf(row)}`).join('\n')}`)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(`\n${rows.length - failed.length} of ${rows.length} rows hold`)
  console.log(JSON.stringify({ rows: rows.length, failed: failed.length, seconds }))
  process.exitCode = failed.length === 0 ? 0 : 1
}

async function ask(installation: Installation): Promise<Row[]> {
  const every = new EveryAnswer()
  const api = new Api(installation.service, every)
  const rows = await prepare(api)
  const bootstrap = installation.bootstrap.bind(installation)
  const run = async (name: string, steps: (typeof SCENARIOS)[string]): Promise<void> => {
    const book = new Book(name)
    try {
      for (const step of steps) await step(book, api, bootstrap)
    } catch (error) {
      book.row('runs to its end', false, error instanceof Error ? error.stack?.slice(0, 600) : String(error))
    }
    rows.push(...print(book))
  }
  const left = Object.entries(SCENARIOS).filter(([name]) => isWanted(name))
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await run(...next)
    }),
  )
  for (const [name, steps] of Object.entries(ALONE)) if (isWanted(name)) await run(name, steps)
  const book = new Book('every answer')
  every.report(book)
  return [...rows, ...print(book)]
}

function isWanted(name: string): boolean {
  return options.only?.includes(name) ?? true
}

async function prepare(api: Api): Promise<Row[]> {
  const book = new Book('skein dev')
  const { baseUrl, apiKey, dashboardUrl } = api.service
  const texts: unknown[] = [baseUrl, apiKey, dashboardUrl]
  book.row(
    '--json prints baseUrl, apiKey and dashboardUrl',
    texts.every((text) => typeof text === 'string' && text !== ''),
  )
  book.ok('a pool can be written', await api.write('pool', 'nobody', {}))
  book.ok('a workspace that names the pool, too', await api.write('workspace', 'idle', { pool: 'nobody' }))
  return print(book)
}

function print({ rows, lines }: Book): Row[] {
  for (const line of lines) if (!options.quiet || !line.startsWith('ok')) console.log(line)
  return rows
}
