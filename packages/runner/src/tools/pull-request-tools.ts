import { requireText, text, textIn, textsIn, ToolRefusal, type Tool, type ToolInput } from './tool.ts'

/** Only for agents with a repository of a code host. */
export const PULL_REQUEST_TOOLS: readonly Tool[] = [
  {
    name: 'open_pull_request',
    description:
      'Opens a pull request for your branch, so that people can review and merge it. Push first. If one is open, you get that one: there is never a second. A draft that you opened gets this title and body, and becomes ready for review unless you say draft again.',
    inputSchema: {
      type: 'object',
      properties: {
        title: text('What it changes, in one line.'),
        body: text('What it changes and why, as Markdown. A link to you is added.'),
        draft: { type: 'boolean', description: 'Whether it is not ready for review yet.' },
        labels: texts('Labels to add, such as those that the repository uses for such changes.'),
        reviewers: texts('People to ask for a review, by their user names on the code host.'),
        base: text('The branch to merge into. Default: the one your work started from.'),
        intoParent: {
          type: 'boolean',
          description: 'Whether to merge into the branch of the agent that started you instead.',
        },
        repo: text('The folder of the repository, if there are several. Default: the main one.'),
      },
      required: ['title'],
      additionalProperties: false,
    },
    async run(input, { pullRequests }) {
      if (!pullRequests) throw new ToolRefusal('Your repositories are not on a code host.')
      const asked = {
        title: requireText(input, 'title'),
        body: textIn(input, 'body'),
        draft: flagIn(input, 'draft'),
        labels: textsIn(input, 'labels'),
        reviewers: textsIn(input, 'reviewers'),
        base: textIn(input, 'base'),
        intoParent: flagIn(input, 'intoParent'),
        repo: textIn(input, 'repo'),
      }
      if (asked.base !== '' && asked.intoParent) throw new ToolRefusal('Give base or intoParent, not both.')
      const { number, url, base, draft, problems } = await pullRequests.open(asked)
      return JSON.stringify({ number, url, base, draft, ...(problems.length > 0 && { problems }) })
    },
  },
  {
    name: 'answer_thread',
    description:
      'Answers a thread of your pull request. Call it once for each thread that you were given; a second answer in the same turn replaces the first. Answers are posted when you rest.',
    inputSchema: {
      type: 'object',
      properties: {
        thread: text('The thread, exactly as it was given to you.'),
        text: text('Your answer, as Markdown: what you changed, or why not.'),
        resolve: { type: 'boolean', description: 'Whether the thread is done.' },
      },
      required: ['thread', 'text'],
      additionalProperties: false,
    },
    async run(input, { pullRequests }) {
      if (!pullRequests) throw new ToolRefusal('Your repositories are not on a code host.')
      const answer = requireText(input, 'text')
      if (answer.length > MAX_ANSWER_LENGTH) throw new ToolRefusal('Answer in fewer words.')
      const thread = requireText(input, 'thread').trim()
      await pullRequests.answer({ thread, text: answer, resolve: flagIn(input, 'resolve') })
      return 'It will be posted when you rest.'
    },
  },
]

function texts(description: string) {
  return { type: 'array', items: { type: 'string' }, description } as const
}

const MAX_ANSWER_LENGTH = 16_000

function flagIn(input: ToolInput, name: string): boolean {
  const value = input[name]
  if (value === undefined || typeof value === 'boolean') return value === true
  throw new ToolRefusal(`${name} must be true or false.`)
}
