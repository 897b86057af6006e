import type { Task } from '@skein/contract'
import { requireText, text, textIn, textsIn, ToolRefusal, type Tool } from './tool.ts'

const STATUSES = {
  pending: 'TASK_STATUS_PENDING',
  in_progress: 'TASK_STATUS_IN_PROGRESS',
  completed: 'TASK_STATUS_COMPLETED',
  deleted: 'TASK_STATUS_DELETED',
} as const

export const TASK_TOOLS: readonly Tool[] = [
  {
    name: 'list_tasks',
    description: 'Your checklist. You cannot finish while tasks are open.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    async run(_input, { api }) {
      const { tasks, openTaskIds } = await api.listTasks()
      const shown = tasks.filter(({ status }) => status !== STATUSES.deleted)
      return JSON.stringify({ tasks: shown.map((task) => describeTask(task, openTaskIds)) })
    },
  },
  {
    name: 'create_task',
    description: 'Adds a task to your checklist.',
    inputSchema: {
      type: 'object',
      properties: {
        subject: text('What to do, in one line.'),
        description: text('What you need to know to do it.'),
        blockedBy: {
          type: 'array',
          items: { type: 'string' },
          description: 'Ids of tasks that must be completed first.',
        },
      },
      required: ['subject'],
      additionalProperties: false,
    },
    async run(input, { api, callId }) {
      const task = await api.createTask(callId, {
        subject: requireText(input, 'subject'),
        description: textIn(input, 'description'),
        blockedBy: textsIn(input, 'blockedBy'),
      })
      return JSON.stringify({ id: task?.id })
    },
  },
  {
    name: 'update_task',
    description: 'Changes a task on your checklist, such as its status.',
    inputSchema: {
      type: 'object',
      properties: {
        id: text('The task.'),
        status: { type: 'string', enum: Object.keys(STATUSES), description: 'The new status.' },
        subject: text('A new subject.'),
        description: text('A new description.'),
      },
      required: ['id'],
      additionalProperties: false,
    },
    async run(input, { api, callId }) {
      const status = textIn(input, 'status')
      const subject = textIn(input, 'subject')
      const description = textIn(input, 'description')
      const task = await api.updateTask(callId, {
        id: requireText(input, 'id'),
        ...(status !== '' && { status: statusOf(status) }),
        ...(subject !== '' && { subject }),
        ...(description !== '' && { description }),
      })
      return JSON.stringify({ id: task?.id, status: wordOf(task?.status) })
    },
  },
]

/** With the thread that it is about, as other tools call it. */
function describeTask(
  { id, subject, description, status, blockedBy, dedupKey }: Task,
  openTaskIds: readonly string[],
) {
  const described = { id, subject, description, status: wordOf(status), blockedBy }
  return { ...described, isOpen: openTaskIds.includes(id), ...(dedupKey !== '' && { thread: dedupKey }) }
}

function isWord(word: string): word is keyof typeof STATUSES {
  return Object.hasOwn(STATUSES, word)
}

function statusOf(word: string) {
  if (isWord(word)) return STATUSES[word]
  throw new ToolRefusal(`status must be one of ${Object.keys(STATUSES).join(', ')}.`)
}

function wordOf(status: string | undefined): string {
  return Object.entries(STATUSES).find(([, name]) => name === status)?.[0] ?? ''
}
