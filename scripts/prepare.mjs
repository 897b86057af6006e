// Plain JavaScript for any Node: without dev dependencies, npm runs this with the machine's own.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const manifest = join(root, 'packages/dashboard/package.json')
const { resolve } = createRequire(manifest)

/**
 * Looked for as a folder: a package for import alone cannot be resolved from here.
 * @param {string} name
 */
function isInstalled(name) {
  return (resolve.paths(name) ?? []).some((folder) => existsSync(join(folder, name, 'package.json')))
}

const { devDependencies } = /** @type {{ devDependencies: object }} */ (
  JSON.parse(readFileSync(manifest, 'utf8'))
)
if (Object.keys(devDependencies).every(isInstalled)) {
  const build = spawnSync('npm', ['run', '--silent', 'build:dashboard'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  process.exitCode = build.status ?? 1
} else {
  process.stdout.write('The dashboard is not built: its build tools are not installed.\n')
}
