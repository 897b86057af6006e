import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { afterAll } from 'vitest'
import { leaveRoot } from '../src/start/leave-root.ts'

/**
 * Makes the process of this test file what a runner is that was started as root. There is no way back. Where the tests
 * are not root's it changes nothing.
 */
export function becomeRunner(): void {
  const dataDir = `/var/tmp/skein-runner-${randomBytes(8).toString('hex')}`
  leaveRoot({ SKEIN_RUNNER_USER: '', SKEIN_RUNNER_DATA_DIR: dataDir, SKEIN_RUNNER_BLOBS: '' })
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }))
}
