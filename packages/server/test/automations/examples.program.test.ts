import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { findFreePort } from '@skein/host'
import { waitFor } from '@skein/testkit'
import { Webhook } from 'standardwebhooks'
import { afterAll, expect, test } from 'vitest'

const EXAMPLES = new URL('../../../../examples/webhooks/', import.meta.url).pathname
const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const BODY = JSON.stringify({ type: 'run.ended', data: {} })

const children: ChildProcess[] = []
afterAll(() => {
  for (const { pid } of children) if (pid !== undefined) process.kill(-pid, 'SIGKILL')
})

const CASES: readonly (readonly [string, string, readonly string[]])[] = [
  ['Python', 'python3', ['receiver.py']],
  ['Go', 'go', ['run', 'receiver.go']],
]

for (const [language, program, args] of CASES) {
  const isInstalled = spawnSync(program, [program === 'go' ? 'version' : '--version']).status === 0
  test.skipIf(!isInstalled)(
    `the receiver in ${language} accepts what is signed, once, and refuses the rest`,
    async () => {
      const port = await findFreePort()
      const child = spawn(program, [...args, String(port)], {
        cwd: EXAMPLES,
        env: { ...process.env, SKEIN_SIGNING_KEY: KEY },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      })
      children.push(child)
      let printed = ''
      child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
      const post = async (headers: Record<string, string>, body = BODY) =>
        (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status
      const status = await waitFor(() => post(signed()).catch(() => undefined), {
        what: 'the receiver',
        timeoutMs: 120_000,
      })
      expect(status).toBe(204)
      expect(await post(signed())).toBe(204)
      expect(await post(signed(), `${BODY} `)).toBe(401)
      expect(await post({ ...signed(), 'webhook-timestamp': '1' })).toBe(401)
      expect(await post({})).toBe(401)
      expect(printed).toBe('run.ended\n')
    },
  )
}

function signed(): Record<string, string> {
  const at = new Date()
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(KEY).sign('msg_1', at, BODY),
  }
}
