import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { request as startRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Front, type FrontHandler } from '../../src/front/front.ts'
import { openToAll } from './open-to-all.ts'

let directory: string
let front: Front | undefined
let errors: unknown[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'skein-front-'))
  errors = []
})
afterEach(async () => {
  await front?.close()
  await rm(directory, { recursive: true, force: true })
})

async function listen(handlers: Readonly<Record<string, FrontHandler>>) {
  const services = Object.entries(handlers).map(([name, handler]) => [name, openToAll(handler)] as const)
  front = new Front(Object.fromEntries(services), { onError: (error) => void errors.push(error) })
  const { port, socketPath } = await front.listen(join(directory, 'front.sock'))
  return { url: `http://127.0.0.1:${port}`, socketPath }
}

const echo: FrontHandler = async (request, response, path) => {
  response.end(`${request.method} ${path}`)
}

async function askOverSocket(socketPath: string, path: string): Promise<string> {
  const request = startRequest({ socketPath, path }).end()
  const [answer] = (await once(request, 'response')) as [AsyncIterable<Buffer>]
  let text = ''
  for await (const chunk of answer) text += chunk.toString()
  return text
}

test('a handler gets what is below its prefix, with the query', async () => {
  const { url } = await listen({ model: echo, git: async (_request, response) => void response.end('git') })
  expect(await (await fetch(`${url}/model/a/b?c=d`)).text()).toBe('GET /a/b?c=d')
  expect(await (await fetch(`${url}/model`)).text()).toBe('GET /')
  expect(await (await fetch(`${url}/git/x`)).text()).toBe('git')
})

test.each(['/', '/other/x', '/models', '/model2/x', '/constructor/x'])('%s leads nowhere', async (path) => {
  const { url } = await listen({ model: echo })
  expect((await fetch(`${url}${path}`)).status).toBe(404)
})

test('the port and the socket lead to the same, and any user may use the socket', async () => {
  const { socketPath } = await listen({ model: echo })
  expect(await askOverSocket(socketPath, '/model/x')).toBe('GET /x')
  expect((await stat(socketPath)).mode & 0o777).toBe(0o666)
})

test('what a front that crashed left behind is replaced', async () => {
  await writeFile(join(directory, 'front.sock'), '')
  const { socketPath } = await listen({ model: echo })
  expect(await askOverSocket(socketPath, '/model/x')).toBe('GET /x')
})

test('a handler that fails is answered for, without its reasons, and told of', async () => {
  const failure = new Error('secret')
  const { url } = await listen({ model: () => Promise.reject(failure) })
  const answer = await fetch(`${url}/model/x`)
  expect(answer.status).toBe(500)
  expect(await answer.text()).toBe('')
  expect(errors).toEqual([failure])
})

test('a handler that fails mid-response cuts it off, so that it does not look complete', async () => {
  const { url } = await listen({
    model: async (_request, response) => {
      await new Promise((resolve) => response.write('half', resolve))
      throw new Error('broken')
    },
  })
  const answer = await fetch(`${url}/model/x`)
  await expect(answer.text()).rejects.toThrow('terminated')
  expect(errors).toHaveLength(1)
})

test('closing ends what is still open', async () => {
  const { url } = await listen({
    model: async (_request, response) => {
      response.write('forever')
      await once(response, 'close')
    },
  })
  const answer = await fetch(`${url}/model/x`)
  await front?.close()
  await expect(answer.text()).rejects.toThrow('terminated')
  await expect(fetch(`${url}/model/x`)).rejects.toThrow('fetch failed')
})
