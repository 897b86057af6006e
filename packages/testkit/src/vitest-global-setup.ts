import { startPostgresServer } from '@skein/local-postgres'
import type { TestProject } from 'vitest/node'
import { roomyFolder } from './roomy-folder.ts'
import { prepareTestRun, removeTestRun, type TestRunFacts } from './test-run.ts'

declare module 'vitest' {
  interface ProvidedContext {
    skeinTestRun: TestRunFacts
  }
}

/** One server and one migrated template per run. Set SKEIN_TEST_DATABASE_URL to use your own server. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const existing = process.env['SKEIN_TEST_DATABASE_URL']
  if (existing !== undefined && existing !== '') {
    const run = await prepareTestRun({ adminUrl: existing })
    project.provide('skeinTestRun', run)
    return () => removeTestRun(run.adminUrl, run.prefix)
  }
  const server = await startPostgresServer({ temporaryIn: roomyFolder() })
  try {
    project.provide('skeinTestRun', await prepareTestRun({ adminUrl: server.url() }))
  } catch (error) {
    await server.stop()
    throw error
  }
  return () => server.stop()
}
