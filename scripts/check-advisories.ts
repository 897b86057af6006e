/**
 * `npm run check:advisories`: fails if a shipped package has an advisory of high severity or above. If the registry
 * cannot be asked it doesn't fail, but says so clearly, because an offline build proves nothing.
 */
import { spawnSync } from 'node:child_process'
import { readAdvisories } from './supply-chain/read-advisories.ts'

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8', timeout: 120_000 })
const advisories = readAdvisories(stdout)
if (advisories.type === 'not-asked') {
  console.log(`NOT CHECKED: the registry could not be asked for advisories (${advisories.why}).`)
} else if (advisories.severe.length > 0) {
  console.error(`Advisories of high severity or above:\n  ${advisories.severe.join('\n  ')}`)
  process.exitCode = 1
} else {
  console.log('No advisory of high severity or above for what ships.')
}
