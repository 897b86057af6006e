import { proxySkein } from '@skein/temporal/workflow'
import { condition, defineQuery, defineSignal, setHandler } from '@temporalio/workflow'

const { runAgent, send, waitForAgent } = proxySkein({ heartbeatTimeout: '10 seconds' })

const VIEWS = ['security', 'speed', 'clarity']

export interface Question {
  readonly workspace: string
  readonly question: string
}

/** Three agents answer the question at the same time, each with something else in mind. A fourth merges their answers. */
export async function threeViews({ workspace, question }: Question): Promise<string> {
  const views = VIEWS.map(async (view) => {
    const { message } = await runAgent({
      workspace,
      name: view,
      description: `Answer with ${view} in mind. Change nothing.\n\n${question}`,
      autoComplete: true,
      maxCost: 2,
    })
    return `## ${view}\n\n${message}`
  })
  const answers = await Promise.all(views)
  const merged = await runAgent({
    workspace,
    name: 'merge',
    description: `Merge these answers to one question.\n\n${question}\n\n${answers.join('\n\n')}`,
    autoComplete: true,
    maxCost: 2,
  })
  return merged.message
}

export const answer = defineSignal<[string]>('answer')
export const openQuestion = defineQuery<string>('openQuestion')

/** An agent that may ask. Its question waits here, for days if need be, until somebody sends the signal `answer`. */
export async function interview({ workspace, question }: Question): Promise<string> {
  const answers: string[] = []
  let asked = ''
  setHandler(answer, (text) => void answers.push(text))
  setHandler(openQuestion, () => asked)
  let last = await runAgent({ workspace, name: 'interview', description: question, maxCost: 2 })
  while (last.outcome === 'waiting') {
    asked = last.question === '' ? last.message : last.question
    await condition(() => answers.length > 0)
    asked = ''
    await send(last.agent, answers.shift() ?? '')
    last = await waitForAgent(last.agent)
  }
  return last.message
}
