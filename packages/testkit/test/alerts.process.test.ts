import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const MONITORING = fileURLToPath(new URL('../../../deploy/monitoring', import.meta.url))

/** From the Debian package prometheus; `.ci/run packages` installs it. */
const isInstalled = await run('promtool', ['--version']).then(
  () => true,
  () => false,
)

test.skipIf(!isInstalled).each(['alerts.test.yaml', 'slow-burn.test.yaml'])(
  'alerts fire when they should and clear afterwards: %s',
  async (file) => {
    const { stdout } = await run('promtool', ['test', 'rules', file], { cwd: MONITORING })
    expect(stdout).toContain('SUCCESS')
  },
)
