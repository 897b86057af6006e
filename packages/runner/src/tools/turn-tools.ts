import { END_TURN, requireText, text, ToolRefusal, type Tool } from './tool.ts'

export const TURN_TOOLS: readonly Tool[] = [
  {
    name: 'ask_for_input',
    description:
      'Asks the people you work for. Use it when you need a decision or something only they have. The answer arrives as a message.',
    inputSchema: {
      type: 'object',
      properties: {
        question: text('The question, with the context needed to answer it.'),
      },
      required: ['question'],
      additionalProperties: false,
    },
    async run(input, { intent }) {
      intent.declare({ type: 'ask', question: requireText(input, 'question') })
      return `Your question was passed on. ${END_TURN}`
    },
  },
  {
    name: 'finish',
    description:
      'Reports that all work is done. First complete every open task of your checklist and push your work.',
    inputSchema: {
      type: 'object',
      properties: { result: text('What you did and the result.') },
      required: ['result'],
      additionalProperties: false,
    },
    async run(input, { api, intent }) {
      const result = requireText(input, 'result')
      const { tasks, openTaskIds } = await api.listTasks()
      // Even if it is rejected: if nothing else follows in this turn, the service reports what is still open.
      intent.declare({ type: 'finish', result })
      if (intent.refuseFinish(openTaskIds.length)) {
        const open = tasks.filter(({ id }) => openTaskIds.includes(id))
        const list = open.map(({ id, subject }) => `- ${subject} (${id})`).join('\n')
        throw new ToolRefusal(
          `These tasks are open:\n${list}\nDo them and set them to completed, or delete those that no longer make sense.`,
        )
      }
      return `Noted. ${END_TURN}`
    },
  },
]
