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

/** Kinds of other projects, whose schemas are not Kubernetes' own. */
const FOREIGN = 'ServiceMonitor,PodMonitor,ScaledObject,Cluster'

async function template(...args: string[]): Promise<string> {
  const { stdout } = await run('helm', ['template', 'test', 'deploy/chart', ...args], { cwd: root })
  return stdout
}

async function conform(manifests: string): Promise<string> {
  const schemas = 'deploy/chart-schemas/{{ .ResourceKind }}{{ .KindSuffix }}.json'
  const checked = run(
    'kubeconform',
    ['-strict', '-summary', '-schema-location', schemas, '-skip', FOREIGN, '-'],
    { cwd: root },
  )
  checked.child.stdin?.end(manifests)
  const { stdout } = await checked.catch((error: unknown) => error as { stdout: string })
  return stdout
}

// CONTRIBUTING.md says where to get both. The nightly workflow has them.
describe.skipIf(!has('helm version') || !has('kubeconform -v'))('the chart', () => {
  test.each(['minimal', 'everything', 'cnpg'])(
    'with the values %s is what Kubernetes expects',
    async (name) => {
      const values = `deploy/chart/ci/${name}.yaml`
      await run('helm', ['lint', '--strict', 'deploy/chart', '--values', values], { cwd: root })
      expect(await conform(await template('--values', values))).toMatch(/Invalid: 0, Errors: 0/)
    },
  )

  test('is refused with a field that Kubernetes does not know', async () => {
    const manifests = await template('--values', 'deploy/chart/ci/minimal.yaml')
    const misspelt = manifests.replace('maxSurge', 'maxSurges')
    expect(misspelt).not.toBe(manifests)
    expect(await conform(misspelt)).toContain('Invalid: 1')
  })

  test.each([
    ['a value that it does not have', 'server.replica=3', 'replica'],
    ['a value of the wrong type', 'server.replicas=two', 'replicas'],
    ['a database that it does not know', 'database.mode=mysql', 'mode'],
    ['no master key', 'masterKey.existingSecret=', 'masterKey.existingSecret'],
    ['a runner without a key', 'runner.enabled=true', 'runner.existingSecret'],
  ])('refuses %s', async (_, setting, named) => {
    const failure = template('--values', 'deploy/chart/ci/minimal.yaml', '--set', setting)
    await expect(failure).rejects.toThrow(named)
  })

  test('gives every container nothing to write to, no capabilities and no root', async () => {
    const manifests = await template('--values', 'deploy/chart/ci/everything.yaml')
    const containers = manifests.match(/^ +- name: (?:server|runner|migrate|test)$/gm) ?? []
    expect(containers).toHaveLength(4)
    for (const line of ['readOnlyRootFilesystem: true', 'drop: [ALL]', 'runAsNonRoot: true'])
      expect(manifests.split(line)).toHaveLength(containers.length + 1)
    expect(manifests).not.toContain('privileged: true')
  })
})
