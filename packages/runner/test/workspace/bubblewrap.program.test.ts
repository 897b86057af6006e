import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findSandboxProvider } from '../../src/sandbox/providers.ts'
import { startHttpUpstream, type HttpUpstream } from '../git-front/http-upstream.ts'
import { GitWorld } from './git-world.ts'

const probe = await findSandboxProvider('bubblewrap').probe()
const credential = 'robot:s3cret-of-robot'

describe.skipIf(!probe.isUsable)('in a sandbox with walls', () => {
  let world: GitWorld
  let path: string
  let upstream: HttpUpstream

  beforeEach(async () => {
    world = await GitWorld.start()
    path = await world.addUpstream('shop', { 'a.txt': 'a\n', 'AGENTS.md': 'use tabs\n' })
    upstream = await startHttpUpstream(path, credential)
  })

  afterEach(async () => {
    await world.stop()
    await upstream.stop()
  })

  test('an agent fetches, pushes and continues elsewhere, and never sees the credential', async () => {
    const options = { repos: [{ url: upstream.url, credential }], level: 'bubblewrap' } as const
    const agent = await world.openAgent('docs', options)
    await agent.run(
      'echo 1 > one.txt; git add -A; git commit -qm one; git push -q; git fetch -q; echo 2 > two.txt',
    )
    expect(agent.pushes).toMatchObject([{ files: ['one.txt'] }])
    expect((await world.refsOf(path))['refs/heads/skein/docs']).toBe(
      (await agent.run('git rev-parse HEAD')).trim(),
    )
    expect(await agent.save()).toMatchObject([{ status: 'saved' }])
    const encoded = Buffer.from(credential).toString('base64')
    const everything = `${agent.workspace.workRoot} ${agent.workspace.stateDir} ${agent.workspace.readOnlyPaths.join(' ')}`
    expect(
      (
        await agent.attempt(
          `grep -rlaE 's3cret-of|${encoded}' ${everything} /proc/*/environ /proc/*/cmdline | grep -v /proc/self`,
        )
      ).stdout,
    ).not.toMatch(/skein-git/)
    expect(upstream.authorizations).toEqual(new Set([`Basic ${encoded}`]))
    const other = await world.openAgent('docs', { ...options, host: await world.addHost() })
    expect(await other.run('cat one.txt two.txt; git status --porcelain')).toBe('1\n2\n?? two.txt\n')
    expect(await other.workspace.readGuide(other.sandbox)).toBe('use tabs')
  })

  test('the mirror and what the runner knows about the agent cannot be written', async () => {
    const agent = await world.openAgent('docs', {
      repos: [{ url: upstream.url, credential }],
      level: 'bubblewrap',
      network: 'none',
      canUseGit: false,
      setup: {
        script: 'git log -1 --format=%s; echo x > ../../mine || :',
        variables: {},
        secrets: {},
        timeoutMs: 20_000,
        maxBytes: 1024 ** 3,
      },
    })
    const [mirror = ''] = agent.workspace.readOnlyPaths
    expect((await agent.attempt(`echo x > ${mirror}/config`)).stderr).toContain('Read-only file system')
    expect((await agent.attempt(`cat ${agent.workspace.workRoot}/../workspace.json`)).code).toBe(1)
    await agent.run('echo 1 > one.txt')
    expect(await agent.save()).toMatchObject([{ status: 'saved' }])
    expect(agent.setupOutcome).toMatchObject({
      status: 'done',
      output: expect.stringMatching(/^first\n/) as string,
    })
    expect(await readdir(join(agent.workspace.workRoot, '..'))).not.toContain('mine')
  })
})
