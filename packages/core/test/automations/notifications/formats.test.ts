import { PEOPLE_TYPES, TOPICS } from '@skein/contract/facts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatForChat, formatForMail } from '../../../src/automations/notifications/formats.ts'
import type { Message, Notice } from '../../../src/automations/notifications/notice.ts'

const HOME = 'https://skein.example.com'
const PAGE = `${HOME}/agents/codehost_oauth/ada/shop/fix`
const MAIL = { integration: 'mail', org: 'acme' }
const CHATS = PEOPLE_TYPES.filter((type) => type !== 'email')

const asks = (detail: string, more: Partial<Notice> = {}): Notice => ({
  topic: 'question',
  subject: 'shop/fix',
  url: PAGE,
  detail,
  ...more,
})
const message = (...notices: Notice[]): Message => ({ notices, url: HOME })

const bodyOf = (type: (typeof CHATS)[number], ...notices: Notice[]) =>
  JSON.parse(formatForChat(type, message(...notices)).body) as Record<string, unknown>
const slack = (...notices: Notice[]) => bodyOf('slack', ...notices)['text'] as string
const discord = (...notices: Notice[]) => bodyOf('discord', ...notices)['content'] as string

/** All texts of a card, and the URLs it leads to. */
function readCard(card: unknown): { texts: string[]; urls: string[] } {
  const texts: string[] = []
  const urls: string[] = []
  JSON.stringify(card, (key, value: unknown) => {
    if (key === 'text') texts.push(String(value))
    if (key === 'url') urls.push(String(value))
    return value
  })
  return { texts, urls }
}

describe('a notice links to its agent and says what happened', () => {
  test.each(CHATS)('in %s', (type) => {
    const { body } = formatForChat(type, message(asks('Which currency?')))
    expect(body).toContain(PAGE)
    expect(body).toContain('asks')
    expect(body).toContain('Which currency?')
  })

  test('in a mail', () => {
    const { subject, text } = formatForMail(message(asks('Which currency?')), MAIL)
    expect(subject).toBe('[Skein] shop/fix asks')
    expect(text).toContain(`shop/fix (${PAGE}) asks: Which currency?`)
    expect(text).toContain('integration mail of acme')
  })
})

describe('text of an agent', () => {
  const HOSTILE = [
    '<!channel> <!everyone> <@U123> <#C1> &lt;!here&gt;',
    '@everyone @here @channel @all',
    '<https://evil.example|Sign in> [Sign in](https://evil.example) ![x](https://evil.example/p.png)',
    '</td><script>alert(1)</script><img src=x onerror=alert(1)>',
    '```\ncode that never ends',
    'a\r\nBcc: victim@example.com\r\n\r\n<h1>Hi</h1>',
    'right-to-left \u202egnp.exe and\u200b hidden\u0000\u0007 characters',
    '<at>everyone</at> @team',
  ]

  test.each(HOSTILE)('pings nobody and makes no link in Slack or Mattermost: %j', (text) => {
    const shown = slack(asks(text)).replace(`<${PAGE}|shop/fix>`, '')
    expect(shown).not.toMatch(/[<>]/)
    expect(shown).not.toMatch(/@[A-Za-z]/)
    expect(shown).not.toContain('](')
    expect(shown).not.toContain('`')
    expect(shown).not.toContain('\n')
  })

  test.each(HOSTILE)('pings nobody and makes no link in Discord: %j', (text) => {
    const body = bodyOf('discord', asks(text))
    expect(body['allowed_mentions']).toEqual({ parse: [] })
    const shown = String(body['content']).replace(`[shop/fix](<${PAGE}>)`, '')
    expect(shown).not.toMatch(/(?<!\\)[<>[\]()`*_~|]/)
    expect(shown).not.toMatch(/@[A-Za-z]/)
    expect(shown).not.toContain('\n')
  })

  test.each(HOSTILE)('is only text in Teams: %j', (text) => {
    const card = bodyOf('teams', asks(text))
    const { urls } = readCard(card)
    expect(urls).toEqual([PAGE])
    expect(JSON.stringify(card)).not.toContain('"TextBlock"')
    expect(JSON.stringify(card)).not.toContain('entities')
  })

  test.each(HOSTILE)('never gets into a header: %j', (text) => {
    const { headers } = formatForChat('ntfy', message(asks(text)))
    expect(headers).toMatchObject({ title: 'shop/fix asks', click: PAGE })
    const mail = formatForMail(message(asks(text)), MAIL)
    expect(mail.subject).toBe('[Skein] shop/fix asks')
    expect(mail.text.split('\n').filter((line) => line.startsWith('Bcc:'))).toEqual([])
  })
})

test('no text, however long or strange, makes a message too large or breaks it', () => {
  const LIMITS = { slack: 40_000, teams: 28_000, discord: 8_000, ntfy: 4_096 }
  const notice = fc.record({
    topic: fc.constantFrom(...TOPICS),
    subject: fc.constant('shop/fix'),
    url: fc.string({ unit: 'binary', maxLength: 50 }).map((text) => `${PAGE}${text.replaceAll('%', '')}`),
    percent: fc.constantFrom(80, 100),
    detail: fc.oneof(
      fc.string({ unit: 'binary', maxLength: 2_000 }),
      fc.constant('*'.repeat(100_000)),
      fc.constant('\ud800'.repeat(400)),
      fc.constant('🦢'.repeat(5_000)),
    ),
  })
  fc.assert(
    fc.property(fc.array(notice, { minLength: 1, maxLength: 120 }), (notices) => {
      for (const type of CHATS) {
        const { body, headers } = formatForChat(type, message(...notices))
        expect(Buffer.byteLength(body)).toBeLessThan(LIMITS[type])
        for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]*$/)
      }
      expect(discord(...notices).length).toBeLessThanOrEqual(2_000)
      const { subject, text } = formatForMail(message(...notices), MAIL)
      expect(subject).toMatch(/^[\x20-\x7e]{1,200}$/)
      expect(text.length).toBeLessThan(70_000)
    }),
    { numRuns: 100 },
  )
})

test('what has no room is counted, and what is urgent comes first', () => {
  const finished = Array.from({ length: 40 }, (_, index) =>
    asks('', { topic: 'finished', subject: `shop/a-${index}` }),
  )
  const text = slack(...finished, asks('Which?'), asks('No model.', { topic: 'failed' }))
  const lines = text.split('\n')
  expect(lines[0]).toContain('asks: Which?')
  expect(lines[1]).toContain('has failed: No model.')
  expect(lines).toHaveLength(21)
  expect(lines.at(-1)).toBe(`And 22 finished agents: <${HOME}|Skein>`)
})

test('a title counts what a message tells', () => {
  const many = message(asks('?'), asks('?'), asks('', { topic: 'budget', percent: 80 }))
  expect(formatForMail(many, MAIL).subject).toBe('[Skein] 2 questions, 1 budget')
  expect(formatForMail(message(asks('', { topic: 'budget', percent: 80 })), MAIL).subject).toBe(
    '[Skein] shop/fix has spent 80 % of its budget',
  )
})
