/**
 * `npm run check:advisories`: fails if a package that ships has an advisory of high severity or above. A registry that
 * cannot be asked fails nothing, and is told clearly: an offline build is no proof of anything.
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
