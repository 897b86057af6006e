import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The example as a user has it: the published packages and Temporal's, in a folder of its own. */
export async function installExample(root: string, folder: string): Promise<string> {
  const project = join(folder, 'project')
  const tarballs = join(folder, 'tarballs')
  mkdirSync(project)
  for (const name of ['package.json', 'package-lock.json']) {
    cpSync(join(root, 'e2e/temporal', name), join(project, name))
  }
  for (const name of ['worker.ts', 'workflows.ts']) {
    cpSync(join(root, 'examples/temporal', name), join(project, name))
  }
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: project })
  await run(process.execPath, [join(root, 'scripts/pack.ts'), '--out', tarballs], { cwd: root })
  const ours = readdirSync(tarballs).filter((name) => /^skein-(client|temporal|contract)-/.test(name))
  const files = ours.map((name) => join(tarballs, name))
  await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', ...files], { cwd: project })
  return project
}
