/**
 * `npm run test:temporal`: the example of `@skein/temporal`, installed from tarballs, with a real Temporal server and a
 * real Skein server, while workers and Temporal are killed. The last line is JSON.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgresServer } from '@skein/testkit'
import { Client, Connection } from '@temporalio/client'
import { installExample } from './example-folder.ts'
import { SCENARIOS } from './scenarios.ts'
import { startSkein } from './skein-service.ts'
import { TemporalServer } from './temporal-server.ts'
import { Trial } from './trial.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const programs = process.env['SKEIN_TEMPORAL_DIR']
if (programs === undefined) throw new Error('Run e2e/temporal/get-temporal.sh, and set SKEIN_TEMPORAL_DIR.')

// Everything ends with this process, but only if it exits normally.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

const folder = mkdtempSync(join(tmpdir(), 'skein-temporal-'))
const project = await installExample(root, folder)
const postgres = await startPostgresServer({ settings: ['max_connections=200'] })
const temporal = await TemporalServer.start(programs, folder, postgres)
const service = await startSkein(root, folder, postgres)
const connection = await Connection.connect({ address: temporal.address })
const trial = new Trial({ project, postgres, temporal, service, client: new Client({ connection }) })
const results: { readonly name: string; readonly ok: boolean; readonly seconds: number }[] = []
try {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    const startedAt = performance.now()
    const problem = await scenario(trial).then(
      () => undefined,
      (error: unknown) => error,
    )
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10
    console.log(`${problem === undefined ? 'ok  ' : 'FAIL'}  ${name} (${seconds} s)`)
    if (problem !== undefined) console.log(problem)
    results.push({ name, ok: problem === undefined, seconds })
    await trial.endWorker()
  }
} finally {
  await trial.endWorker()
  await connection.close()
  await service.stop()
  await temporal.kill()
  await postgres.stop()
}
const failed = results.filter(({ ok }) => !ok).length
if (failed === 0) rmSync(folder, { recursive: true, force: true })
else console.log(`Logs are in ${folder}`)
console.log(JSON.stringify({ passed: results.length - failed, failed, ...trial.counts }))
process.exitCode = failed === 0 ? 0 : 1
