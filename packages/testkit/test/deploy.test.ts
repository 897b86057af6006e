import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { files, root } from './tree.ts'

const run = promisify(execFile)

/** Where a tool is missing, such as in a small container, its tests are skipped. */
function has(command: string): boolean {
  const [program = '', ...args] = command.split(' ')
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** What `systemd-analyze security` may find at most, in tenths of its scale from 0 (good) to 10. */
const EXPOSURE = { 'skein-server': 15, 'skein-migrate': 15, 'skein-runner': 40 } as const

describe.skipIf(!has('systemd-analyze --version'))('the systemd units', () => {
  test('have no line that systemd does not understand', async () => {
    const units = await files('deploy/systemd/*.service')
    expect(units).toHaveLength(Object.keys(EXPOSURE).length)
    // It fails, because the programs are not installed here.
    const { stdout, stderr } = await run('systemd-analyze', ['verify', ...units], { cwd: root }).catch(
      (error: unknown) => error as { stdout: string; stderr: string },
    )
    const complaints = `${stdout}${stderr}`
      .split('\n')
      .filter((line) => line.includes('skein'))
      .filter((line) => !/Command \/usr\/bin\/skein-\w+ is not executable/.test(line))
      // Since systemd 254. The others ignore it.
      .filter((line) => !line.includes('DelegateSubgroup'))
    expect(complaints).toEqual([])
  })

  test.each(Object.entries(EXPOSURE))('%s is hardened', async (name, limit) => {
    const args = ['security', '--offline=true', '--no-pager', `--threshold=${limit}`]
    const { stdout } = await run('systemd-analyze', [...args, `deploy/systemd/${name}.service`], {
      cwd: root,
    })
    expect(stdout).toContain('Overall exposure level')
  })
})
