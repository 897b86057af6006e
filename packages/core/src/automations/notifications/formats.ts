import type { PeopleType } from '@skein/contract/facts'
import { byteSize } from '../../agent/byte-size.ts'
import { fitNotices, type Room } from './fit-notices.ts'
import { headlineOf, titleOf, type Message, type Notice } from './notice.ts'
import { toOneLine } from './one-line.ts'

/** A message as a chat expects it. */
export interface ChatRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

type ChatType = Exclude<PeopleType, 'email'>

/** Well below what each of them accepts, so that there is room for our own words. */
const ROOM: Readonly<Record<PeopleType, Room>> = {
  slack: { notices: 20, size: 12_000 },
  teams: { notices: 20, size: 16_000 },
  discord: { notices: 10, size: 1_700 },
  ntfy: { notices: 10, size: 3_000 },
  email: { notices: 50, size: 60_000 },
}

export function formatForChat(type: ChatType, message: Message): ChatRequest {
  return FORMATS[type](message)
}

const FORMATS: Readonly<Record<ChatType, (message: Message) => ChatRequest>> = {
  slack: (message) =>
    json({ text: linesOf('slack', message, SLACK).join('\n'), unfurl_links: false, unfurl_media: false }),
  teams: (message) => json(toCard(message)),
  discord: (message) =>
    json({
      content: linesOf('discord', message, DISCORD).join('\n'),
      // Nobody is notified, whatever the text says; and links show no preview.
      allowed_mentions: { parse: [] },
      flags: 4,
    }),
  ntfy: (message) => ({
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      title: titleOf(message),
      click: safeUrl((message.notices.length === 1 ? message.notices[0] : message)?.url ?? message.url),
    },
    body: linesOf('ntfy', message, PLAIN).join('\n'),
  }),
}

/** Subject and text of a mail. There is no HTML, so nothing can be injected into it. */
export function formatForMail(
  message: Message,
  { integration, org }: { readonly integration: string; readonly org: string },
): { readonly subject: string; readonly text: string } {
  const why = `Sent by Skein because of the integration ${integration} of ${toOneLine(org)}.`
  return {
    subject: `[Skein] ${titleOf(message)}`,
    text: [...linesOf('email', message, PLAIN), `-- \n${why}\n`].join('\n\n'),
  }
}

/** How a format writes a link to its own address, and text that is not its own. */
interface Markup {
  link(label: string, url: string): string
  text(text: string): string
}

const PLAIN: Markup = { link: (label, url) => `${label} (${url})`, text: (text) => text }

/** Invisible, and keeps two characters from meaning something together. */
const JOINER = '\u2060'

/** Mattermost reads this format as Markdown, so links and mentions of either kind are broken up. */
const SLACK: Markup = {
  link: (label, url) => `<${url}|${label}>`,
  text: (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('`', "'")
      .replaceAll('@', `@${JOINER}`)
      .replaceAll('](', `]${JOINER}(`),
}

const DISCORD: Markup = {
  link: (label, url) => `[${label}](<${url}>)`,
  text: (text) => text.replaceAll(/[\\*_~`|<>#[\]():-]/g, '\\$&').replaceAll('@', `@${JOINER}`),
}

function linesOf(type: PeopleType, message: Message, markup: Markup): string[] {
  const { parts, rest } = fitNotices(message, ROOM[type], (notice) => toLine(notice, markup), byteSize)
  return rest === '' ? [...parts] : [...parts, `${rest}: ${markup.link('Skein', safeUrl(message.url))}`]
}

function toLine(notice: Notice, { link, text }: Markup): string {
  const head = `${link(notice.subject, safeUrl(notice.url))} ${headlineOf(notice)}`
  const detail = toOneLine(notice.detail)
  return detail === '' ? head : `${head}: ${text(detail)}`
}

/** Text in a TextRun is shown as it is: unlike a TextBlock, it has no Markdown. */
function toCard(message: Message): object {
  const { parts, rest } = fitNotices(message, ROOM.teams, toBlock, byteSize)
  const more = rest === '' ? [] : [toRuns(rest, message.url, '')]
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          fallbackText: titleOf(message),
          body: [...parts, ...more],
        },
      },
    ],
  }
}

function toBlock(notice: Notice): object {
  const detail = toOneLine(notice.detail)
  return toRuns(notice.subject, notice.url, ` ${headlineOf(notice)}${detail === '' ? '' : `: ${detail}`}`)
}

function toRuns(label: string, url: string, text: string): object {
  const link = {
    type: 'TextRun',
    text: label,
    weight: 'bolder',
    selectAction: { type: 'Action.OpenUrl', url: safeUrl(url) },
  }
  return { type: 'RichTextBlock', inlines: text === '' ? [link] : [link, { type: 'TextRun', text }] }
}

function json(content: object): ChatRequest {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) }
}

/** An account may contain characters that end a link in one of the formats. */
function safeUrl(url: string): string {
  return url.toWellFormed().replaceAll(/[^A-Za-z0-9\-._~:/?#@&=+$,;%]/gu, (character) => {
    const encoded = encodeURIComponent(character)
    return encoded === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : encoded
  })
}
