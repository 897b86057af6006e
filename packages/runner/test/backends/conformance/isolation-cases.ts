import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { ConformanceCase } from './case.ts'

export const isolationCases: readonly ConformanceCase[] = [
  {
    name: 'files of a hostile repository run nothing and do not redirect the model',
    isForEveryLevel: true,
    run: async (bench) => {
      const decoy = await openDecoy()
      try {
        const agent = await bench.openAgent({
          prepare: async ({ workDir }) => {
            const command = `echo ran > ${join(workDir, 'evidence')}`
            const files = bench.stage.subject.dialect.hostileFiles(command, decoy.url)
            for (const [path, text] of Object.entries(files)) {
              await mkdir(dirname(join(workDir, path)), { recursive: true })
              await writeFile(join(workDir, path), text)
            }
          },
        })
        const { result } = await agent.run([{ shell: 'echo worked' }, { say: 'Done.' }])
        expect(result).toMatchObject({ status: 'completed', text: 'Done.' })
        await agent.program.close()
        expect(await readdir(agent.workDir)).not.toContain('evidence')
        expect(decoy.requests).toEqual([])
        expect(agent.requests()).toHaveLength(2)
      } finally {
        await decoy.close()
      }
    },
  },
  {
    name: 'the environment of an agent holds its own variables and tokens, and no secret of the runner',
    isForEveryLevel: true,
    run: async (bench) => {
      process.env['SKEIN_CONFORMANCE_SECRET'] = 'of-the-runner'
      try {
        const agent = await bench.openAgent({
          setup: { variables: { GREETING: 'hello "you" $HOME', EMPTY: '' } },
        })
        const { result } = await agent.run([{ shell: 'env -0 > env.txt' }, { say: 'Done.' }])
        expect(result).toMatchObject({ status: 'completed' })
        const lines = (await agent.readFile('env.txt')).split('\0').filter(Boolean)
        const variables = new Map(lines.map((line) => [line.split('=', 1)[0], line.replace(/^[^=]*=/, '')]))
        expect(variables.get('GREETING')).toBe('hello "you" $HOME')
        expect(variables.get('EMPTY')).toBe('')
        expect(variables.get('HOME')).toContain(agent.stateDir)
        // Its commands trust whom the system trusts, whatever its program does.
        expect(variables.get('SSL_CERT_FILE')).toBeUndefined()
        expect(lines.join('\n')).not.toContain('of-the-runner')
        const inherited = Object.keys(process.env).filter((name) => /KEY|TOKEN|SECRET|PASSWORD/.test(name))
        for (const name of inherited) expect(variables.get(name)).not.toBe(process.env[name])
      } finally {
        delete process.env['SKEIN_CONFORMANCE_SECRET']
      }
    },
  },
  {
    name: 'every request to the model carries the token of the agent',
    run: async (bench) => {
      const agent = await bench.openAgent()
      await agent.run([{ shell: 'echo worked' }, { say: 'Done.' }])
      expect(agent.requests()).toHaveLength(2)
      // Also those that the program makes for itself.
      const tokens = bench.stage.simulator.requests.map(({ apiKey }) => apiKey)
      expect(tokens.filter((token) => !bench.stage.gatewayTokens.has(token))).toEqual([])
    },
  },
  {
    name: 'variables of the environment cannot redirect the model or the program’s home',
    run: async (bench) => {
      const decoy = await openDecoy()
      try {
        const agent = await bench.openAgent({
          setup: {
            variables: {
              ANTHROPIC_BASE_URL: decoy.url,
              ANTHROPIC_API_KEY: 'another',
              OPENAI_BASE_URL: decoy.url,
              HTTP_PROXY: decoy.url,
              http_proxy: decoy.url,
              CODEX_HOME: '/tmp',
              CLAUDE_CONFIG_DIR: '/tmp',
              HOME: '/tmp',
            },
          },
        })
        const { result } = await agent.run([{ say: 'Done.' }])
        expect(result).toMatchObject({ status: 'completed' })
        expect(decoy.requests).toEqual([])
        expect(agent.requests()).toHaveLength(1)
      } finally {
        await decoy.close()
      }
    },
  },
  {
    name: 'the instructions reach the model, even when they change between two processes of a session',
    run: async (bench) => {
      const agent = await bench.openAgent({ setup: { instructions: 'Speak of heliotrope.' } })
      const { result } = await agent.run([{ say: 'Heliotrope.' }])
      expect(JSON.stringify(agent.requests()[0]?.body)).toContain('Speak of heliotrope.')
      await agent.reopen({ session: result.session, instructions: 'Speak of larkspur.' })
      await agent.run([{ say: 'Larkspur.' }])
      expect(JSON.stringify(agent.requests().at(-1)?.body)).toContain('Speak of larkspur.')
    },
  },
]

interface Decoy {
  readonly url: string
  readonly requests: readonly string[]
  close(): Promise<void>
}

/** Where nothing must ever arrive. */
async function openDecoy(): Promise<Decoy> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.writeHead(500).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
