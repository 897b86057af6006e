import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { Front, type FrontHandler } from '../../src/front/front.ts'
import { openToAll } from './open-to-all.ts'

let front: Front | undefined
let errors: unknown[]

beforeEach(() => {
  errors = []
})
afterEach(async () => {
  await front?.close()
})

async function listen(handlers: Readonly<Record<string, FrontHandler>>) {
  const services = Object.entries(handlers).map(([name, handler]) => [name, openToAll(handler)] as const)
  front = new Front(Object.fromEntries(services), { onError: (error) => void errors.push(error) })
  const address = await front.listen()
  return { url: `http://127.0.0.1:${address.port}`, address }
}

const echo: FrontHandler = async (request, response, path) => {
  response.end(`${request.method} ${path}`)
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

test('a socket that listens elsewhere leads to the same', async () => {
  const { address } = await listen({ model: echo })
  const listener = createServer().listen({ host: '127.0.0.2', port: 0 })
  await once(listener, 'listening')
  onTestFinished(() => void listener.close())
  address.serve(listener)
  const { port } = listener.address() as AddressInfo
  expect(await (await fetch(`http://127.0.0.2:${port}/model/x`)).text()).toBe('GET /x')
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

test('a client that disconnects before its response is complete is no error', async () => {
  const failed = Promise.withResolvers<void>()
  const { url } = await listen({
    model: async (_request, response) => {
      response.write('half')
      await once(response, 'close')
      setImmediate(failed.resolve)
      throw new Error('The client is gone')
    },
  })
  const leaving = new AbortController()
  await fetch(`${url}/model/x`, { signal: leaving.signal })
  leaving.abort()
  await failed.promise
  expect(errors).toEqual([])
})
