import { readFile } from 'node:fs/promises'
import { generateOpenApi, OPERATIONS, REASONS } from '@skein/contract'
import { startTestServer, type TestServer } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readApiDocument } from '../../src/docs/api-document.ts'
import { renderPage } from '../../src/docs/page.ts'
import { STYLE } from '../../src/docs/style.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.close())

const get = (url: string, headers: Record<string, string> = {}) =>
  server.app.inject({ method: 'GET', url, headers })

const idsOf = (page: string): string[] => [...page.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)

describe('the API reference', () => {
  test('has an anchor for every operation, reason and type, each once, and no link that leads nowhere', async () => {
    const { statusCode, headers, body } = await get('/docs')
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    const ids = idsOf(body)
    expect(new Set(ids).size).toBe(ids.length)
    const { schemas } = readApiDocument(generateOpenApi('1'))
    const wanted = [
      ...OPERATIONS.map(({ id }) => id),
      ...Object.keys(REASONS).map((reason) => `error-${reason}`),
      ...[...schemas.keys()].map((name) => `type-${name}`),
    ]
    expect(wanted.filter((id) => !ids.includes(id))).toEqual([])
    const links = [...body.matchAll(/href="#([^"]+)"/g)].map(([, target = '']) => target)
    expect(links.filter((target) => !ids.includes(target))).toEqual([])
  })

  test('shows each operation’s path, permission, fields and examples', async () => {
    const { body } = await get('/docs')
    const [, section = ''] = /<section id="spawnAgent"([^]*?)<\/section>/.exec(body) ?? []
    for (const expected of [
      '<code>/v1/agent/spawn</code>',
      '<code>agent.drive</code>',
      '<code>Idempotency-Key</code>',
      '<code>maxCost</code>',
      '<a href="#type-TaskInput">TaskInput</a>',
      '<code>AGENT_ALREADY_EXISTS</code>',
      'curl -X POST &quot;$SKEIN_URL/v1/agent/spawn&quot;',
      '&quot;followUpId&quot;',
    ]) {
      expect(section).toContain(expected)
    }
  })

  test('has one main heading, no level left out, landmarks, and a way past the navigation', async () => {
    const { body } = await get('/docs')
    const levels = [...body.matchAll(/<h(\d)/g)].map(([, level]) => Number(level))
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    expect(levels.every((level, index) => level <= (levels[index - 1] ?? 0) + 1)).toBe(true)
    for (const landmark of ['<header>', '<nav aria-label=', '<main id="content">', 'href="#content"']) {
      expect(body).toContain(landmark)
    }
  })

  test('escapes markup wherever the document has it', () => {
    const evil = `</code><script>alert('1')</script>"&`
    const document = {
      info: { title: evil, version: evil, description: evil },
      paths: {
        [`/v1/${evil}`]: {
          post: {
            operationId: evil,
            summary: evil,
            description: `${evil}\n\n\`${evil}\``,
            tags: [evil],
            'x-skein-permission': evil,
            parameters: [{ name: evil, in: 'path', description: evil, schema: { enum: [evil] } }],
            requestBody: { content: { 'application/json': { schema: {}, example: { [evil]: evil } } } },
            responses: { 200: { content: { [evil]: { schema: { $ref: `#/components/schemas/${evil}` } } } } },
          },
        },
      },
      components: {
        schemas: {
          [evil]: { description: evil, properties: { [evil]: { const: evil, description: evil } } },
        },
      },
    }
    const page = renderPage(readApiDocument(document))
    expect(page).not.toContain('<script')
    expect(page).not.toContain(`alert('1')`)
    expect(page).toContain('&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;')
  })

  test('allows a browser its own style and nothing else, and has no script or style of its own', async () => {
    for (const url of ['/docs', '/docs/style.css', '/openapi.json']) {
      const { headers } = await get(url)
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
    const { body } = await get('/docs')
    expect(body).not.toMatch(/<script|<style| style=| on\w+=/)
  })

  test('is sent again only when it has changed', async () => {
    for (const url of ['/docs', '/docs/style.css', '/openapi.json']) {
      const { headers } = await get(url)
      const etag = String(headers['etag'])
      expect(headers['cache-control']).toBe('public, no-cache')
      const again = await get(url, { 'if-none-match': `"other", W/${etag}` })
      expect(again).toMatchObject({ statusCode: 304, body: '' })
      expect(again.headers['etag']).toBe(etag)
      expect(await get(url, { 'if-none-match': '"other"' })).toMatchObject({ statusCode: 200 })
    }
  })

  test('is served with its style and the document it is generated from', async () => {
    const style = await get('/docs/style.css')
    expect(style.headers['content-type']).toBe('text/css; charset=utf-8')
    expect(style.body).toBe(STYLE)
    const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
    const { version } = JSON.parse(manifest) as { version: string }
    const { body } = await get('/openapi.json')
    expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(generateOpenApi(version))))
  })

  test.each([
    '/docs/nothing',
    '/docs/style.css/',
    '/docs/../../etc/passwd',
    '/docs/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/docs/%00',
    '/docs/%ff',
    '/docs//',
    '/docs?x=<script>',
    '/docs/?q=%0d%0aset-cookie:a=b',
    `/docs/${'a'.repeat(4000)}`,
  ])('answers %s without a fault', async (url) => {
    const { statusCode, headers, body } = await get(url)
    expect(statusCode).toBeLessThan(500)
    expect(headers['set-cookie']).toBeUndefined()
    expect(body).not.toContain('<script>')
  })

  test('redirects from /docs/ to /docs, even behind a proxy that adds a prefix', async () => {
    const { statusCode, headers } = await get('/docs/')
    expect(statusCode).toBe(308)
    expect(new URL(String(headers['location']), 'https://example.com/skein/docs/').pathname).toBe(
      '/skein/docs',
    )
  })

  test('takes no other method', async () => {
    expect(await server.app.inject({ method: 'POST', url: '/docs' })).toMatchObject({ statusCode: 404 })
    const head = await server.app.inject({ method: 'HEAD', url: '/docs' })
    expect(head).toMatchObject({ statusCode: 200, body: '' })
  })
})

/** WCAG 2 defines both of these. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const channels = [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16) / 255)
  const [red = 0, green = 0, blue = 0] = channels.map((value) =>
    value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

test('every colour of text can be read on every background, light and dark', () => {
  const schemes = [...STYLE.matchAll(/:root \{([^}]+)\}/g)].map(
    ([, block = '']) =>
      new Map([...block.matchAll(/--(\w+): (#\w+)/g)].map(([, name = '', color = '']) => [name, color])),
  )
  expect(schemes).toHaveLength(2)
  const faint = schemes.flatMap((colors) =>
    ['text', 'quiet', 'link', 'get', 'post', 'delete', 'mark'].flatMap((name) =>
      ['page', 'panel', 'target']
        .filter((ground) => contrast(colors.get(name) ?? '', colors.get(ground) ?? '') < 4.5)
        .map((ground) => `${name} on ${ground}`),
    ),
  )
  expect(faint).toEqual([])
})
