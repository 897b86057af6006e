import { decodePart } from '../format/decode-part.ts'

const PAGES: Readonly<Record<string, string>> = {
  '': 'Fleet',
  inbox: 'Inbox',
  spawn: 'Spawn',
  catalog: 'Catalog',
  automations: 'Automations',
  usage: 'Usage',
  runners: 'Runners',
  tokens: 'Tokens',
  sessions: 'Sessions',
  audit: 'Audit',
}

/** `(2) shop/release · Skein`: the number of open questions, and what the page is about. */
export function titleOf(pathname: string, questions: number): string {
  const [page = '', ...rest] = pathname.split('/').slice(1).map(decodePart)
  const count = questions > 0 ? `(${questions}) ` : ''
  return `${count}${nameOf(page, rest)} · Skein`
}

function nameOf(page: string, rest: readonly string[]): string {
  // /agents/provider/account/workspace/agent/child
  if (page === 'agents') return rest.slice(2).join('/')
  if ((page === 'catalog' || page === 'automations') && rest.length > 0) return rest.join('/')
  return PAGES[page] ?? 'Not found'
}
