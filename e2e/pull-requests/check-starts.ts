import type { PostgresServer } from '@skein/testkit'
import { query } from '../automations/query.ts'
import type { Report } from '../crash/report.ts'
import { DESK, type Asked, type Askers } from './askers.ts'
import { checkStrangers } from './check-strangers.ts'

interface Evidence {
  readonly asked: readonly Asked[]
  readonly askers: Askers
  readonly workspace: string
  readonly postgres: PostgresServer
}

/** One agent for each issue, one reply to each request. */
export async function checkStarts(
  report: Report,
  { asked, askers, workspace, postgres }: Evidence,
): Promise<void> {
  const agents = await query<{ key: string; state: string }>(
    postgres,
    `select key, state::text as state from agent where workspace = '${workspace}'`,
  )
  const messages = await query<{ text: string }>(
    postgres,
    `select body ->> 'description' as text from follow_up where follow_up_id like 'host:%'`,
  )
  const states = await query<{ number: number; state: string }>(
    postgres,
    'select number, state::text as state from host_issue',
  )
  const refused = asked.flatMap((each) => each.refused.map((status) => `${each.number}: ${status}`))
  report.check('wrong', 'every webhook about an issue is accepted', asked.length, refused)
  const doubled: string[] = []
  const lost: string[] = []
  for (const { number, more, replied } of asked) {
    const amounts = {
      agents: agents.filter(({ key }) => key.includes(`/${DESK}-${number}-`)).length,
      replies: (await askers.repliesOn(number)).length,
      messages: messages.filter(({ text }) => text.includes(more)).length,
    }
    const what = `${number}: ${JSON.stringify(amounts)}`
    if (amounts.agents > 1 || amounts.replies > 2 || amounts.messages > 1) doubled.push(what)
    const isLost = amounts.agents < 1 || amounts.replies < 2 || amounts.messages < 1
    if (isLost || replied < 2)
      lost.push(`${what} ${states.find((each) => each.number === number)?.state.slice(0, 300) ?? ''}`)
  }
  report.check('doubled', 'an issue has one agent, and a request one reply', asked.length, doubled)
  report.check('lost', 'every request in an issue has an agent and a reply', asked.length, lost)
  const texts = [...messages.map(({ text }) => text), ...agents.map(({ state }) => state)]
  checkStrangers(report, 'no stranger starts or tells an agent', texts)
}
