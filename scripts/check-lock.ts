/**
 * `npm run check:lock`: every package in the lock must have a hash, so that nobody can replace what is installed.
 * The exceptions are counted: packages the available registry doesn't serve cannot be hashed (docs/dependencies.md).
 */
import { readFile } from 'node:fs/promises'
import { checkHashes, readLock } from './supply-chain/lock-entries.ts'

const lock = await readFile(new URL('../package-lock.json', import.meta.url), 'utf8')
const { faults, exceptions } = checkHashes(readLock(lock))
if (faults.length > 0) {
  const names = faults.map(({ name, version }) => `${name}@${version}`)
  console.error(`No SHA-512 in package-lock.json for:\n  ${names.join('\n  ')}\nRun npm run lock.`)
  process.exitCode = 1
} else if (exceptions.length > 0) {
  console.log(`${exceptions.length} packages of other platforms have no hash; see docs/dependencies.md.`)
}
