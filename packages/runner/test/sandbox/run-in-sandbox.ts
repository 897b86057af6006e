import { createServer } from 'node:http'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAddressRange } from '@skein/core'
import { collectOutput } from '../../src/sandbox/collect-output.ts'
import { findSandboxProvider } from '../../src/sandbox/providers.ts'
import { unlimited } from '../limits.ts'
import type { SandboxRequest } from './network-world.ts'

// A runner's sandbox, without the runner: runs one script in it, and prints how that went.

const [, , base = '', json = '{}'] = process.argv
const { script, allowedRanges = [], network = 'open' } = JSON.parse(json) as SandboxRequest
const workDir = join(base, 'work')
const front = createServer((_request, response) => response.end('the front'))
await mkdir(workDir)
const allowed = allowedRanges.flatMap((range) => parseAddressRange(range) ?? [])
const sandbox = await findSandboxProvider('bubblewrap', { allowedRanges: allowed }).create({
  id: 'network-test',
  workDir,
  stateDir: join(base, 'state'),
  readOnlyPaths: [],
  network,
  front: { port: 18_932, serve: (listener) => front.listen(listener) },
  limits: unlimited,
})
const program = sandbox.spawn({ program: 'bash', args: ['-c', script], env: {}, workDir })
const outcome = await collectOutput(program, { maxBytes: 1_000_000, timeoutMs: 60_000 })
await sandbox.dispose()
front.close()
process.stdout.write(JSON.stringify(outcome))
