import { PassThrough, Writable } from 'node:stream'
import { startTestServer, TestClock, waitFor, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { processIo } from '../src/io.ts'
import { createProgram } from '../src/command-line/program.ts'

const HOUR_MS = 3_600_000
const clock = new TestClock(Date.now() - 3 * HOUR_MS)
let server: TestServer
let tenant: TestTenant
let url: string

beforeAll(async () => {
  server = await startTestServer({ clock })
  tenant = await server.createTenant()
  await tenant.admin.write('persona', 'early', {})
  clock.advance(2 * HOUR_MS)
  await tenant.admin.write('persona', 'late', {})
  clock.advance(HOUR_MS)
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
})

afterAll(() => server.close())

class Pipe extends Writable {
  text = ''

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

async function skein(...args: string[]): Promise<{ names: string[]; cursor: string }> {
  const [stdout, stderr] = [new Pipe(), new Pipe()]
  const env = { SKEIN_URL: url, SKEIN_API_KEY: tenant.admin.key ?? '' }
  const io = processIo({ env, stdin: new PassThrough(), stdout, stderr } as unknown as NodeJS.Process)
  await createProgram(io).program.parseAsync(args, { from: 'user' })
  const lines = stdout.text.split('\n').filter((line) => line !== '')
  const entries = lines.map((line) => JSON.parse(line) as { kind: string; name: string })
  return {
    names: entries.filter(({ kind }) => kind === 'persona').map(({ name }) => name),
    cursor: / --after (\S+)\n$/.exec(stderr.text)?.[1] ?? '',
  }
}

test('the whole audit comes as JSON lines, oldest first', async () => {
  expect((await skein('audit', 'export')).names).toEqual(['early', 'late'])
})

test('--since limits how far back the export goes', async () => {
  expect((await skein('audit', 'export', '--since', '2h')).names).toEqual(['late'])
})

test('the next export continues where the last one ended', async () => {
  const { cursor } = await skein('audit', 'export')
  expect((await skein('audit', 'export', '--after', cursor)).names).toEqual([])
  await tenant.admin.write('persona', 'next', {})
  clock.advance(HOUR_MS)
  expect((await skein('audit', 'export', '--after', cursor)).names).toEqual(['next'])
})

test('the list has its own options still', async () => {
  expect((await skein('--json', 'audit', '--kind', 'persona', '--limit', '1')).names).toHaveLength(1)
})

test('a watch shows the last entries, oldest first, and then each new one, with cursors to continue after', async () => {
  const [output, errors] = [new Pipe(), new Pipe()]
  const lines = () =>
    output.text
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, string>]))
  const start = (...args: string[]) => {
    const env = { SKEIN_URL: url, SKEIN_API_KEY: tenant.admin.key ?? '' }
    const stdin = new PassThrough()
    const io = processIo({ env, stdin, stdout: output, stderr: errors } as unknown as NodeJS.Process)
    void createProgram(io).program.parseAsync(['--json', 'audit', '--kind', 'persona', '--follow', ...args], {
      from: 'user',
    })
  }
  start('--limit', '2')
  await waitFor(() => lines().length === 2, { what: 'the last two' })
  expect(lines().map(({ cursor }) => cursor === undefined)).toEqual([true, false])
  await tenant.admin.write('persona', 'followed', {})
  await waitFor(() => lines().length === 3, { what: 'the new one' })
  expect(lines().at(-1)).toMatchObject({ name: 'followed', operation: 'writeResource' })
  const cursor = lines().at(-2)?.['cursor'] ?? ''
  output.text = ''
  start('--after', cursor)
  await waitFor(() => lines().length === 1, { what: 'what came after the cursor' })
  expect(lines()).toMatchObject([{ name: 'followed' }])
})

test('a cursor without --follow is refused rather than dropped', async () => {
  await expect(skein('audit', '--after', 'x')).rejects.toThrow('--after needs --follow')
})

test('a filter of the list is refused rather than dropped', async () => {
  await expect(skein('audit', 'export', '--kind', 'persona')).rejects.toThrow('be filtered with --kind')
})
