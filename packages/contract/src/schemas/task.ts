import { Type, type Static } from 'typebox'
import { Choice, Flag, request, response, Text } from './primitives.ts'

export const TaskStatus = Choice(
  [
    'TASK_STATUS_UNSPECIFIED',
    'TASK_STATUS_PENDING',
    'TASK_STATUS_IN_PROGRESS',
    'TASK_STATUS_COMPLETED',
    'TASK_STATUS_DELETED',
  ],
  'The state of the task.',
  { $id: 'TaskStatus' },
)
export type TaskStatus = Static<typeof TaskStatus>

export const TaskActivation = Type.Object(
  {
    filesModified: Type.Optional(
      Type.Object(
        {
          pattern: Type.Optional(
            Text(
              'A glob for file paths, with *, **, ?, [a-z] and {a,b}; a leading ! means every other file. Empty matches any file.',
              { maxLength: 256 },
            ),
          ),
        },
        { additionalProperties: false, description: 'Active once the agent pushes such a file in this run.' },
      ),
    ),
  },
  {
    $id: 'TaskActivation',
    additionalProperties: false,
    description: 'When the task becomes active. Without a condition it is always active.',
  },
)
export type TaskActivation = Static<typeof TaskActivation>

const TaskId = Text('Unique within the agent.', {
  minLength: 1,
  maxLength: 128,
  pattern: '^[A-Za-z0-9._:-]+$',
})
const subject = Text('What to do, in one line.', { minLength: 1, maxLength: 1024 })
const description = Text('What a person or agent needs to know to do it.', { maxLength: 65_536 })
const links = (text: string) => Type.Array(TaskId, { maxItems: 500, description: text })

const serverSet = { readOnly: true }

export const Task = response(
  'Task',
  {
    id: TaskId,
    subject,
    description,
    status: TaskStatus,
    blocks: links('Tasks that wait for this one.'),
    blockedBy: links('Tasks that this one waits for.'),
    activation: TaskActivation,
    persona: Text('The persona that the task comes from; empty for other origins.', serverSet),
    dedupKey: Text(
      'The external object that the task tracks; empty for tasks that callers create.',
      serverSet,
    ),
    ephemeral: Flag('Whether the task is removed when its run ends.', serverSet),
  },
  { description: 'An item on an agent’s checklist.' },
)
export type Task = Static<typeof Task>

/** Accepted so that a task can be sent back as it was read. */
const ignored = {
  persona: Type.Optional(Text('Set by the service; ignored.', serverSet)),
  dedupKey: Type.Optional(Text('Set by the service; ignored.', serverSet)),
  ephemeral: Type.Optional(Flag('Set by the service; ignored.', serverSet)),
}

/** What may be left out, when a task is created as well as when it is changed. */
const optional = (blocks: string, blockedBy: string) => ({
  description: Type.Optional(description),
  status: Type.Optional(TaskStatus),
  blocks: Type.Optional(links(blocks)),
  blockedBy: Type.Optional(links(blockedBy)),
  activation: Type.Optional(TaskActivation),
  ...ignored,
})

export const TaskInput = request(
  'TaskInput',
  {
    id: Type.Optional(
      Type.String({ maxLength: 128, pattern: '^[A-Za-z0-9._:-]*$', description: 'Generated if empty.' }),
    ),
    subject,
    ...optional('Tasks that wait for this one.', 'Tasks that this one waits for.'),
  },
  { description: 'A checklist item to create.' },
)
export type TaskInput = Static<typeof TaskInput>

export const TaskUpdate = request(
  'TaskUpdate',
  {
    id: TaskId,
    subject: Type.Optional(subject),
    ...optional(
      'Replaces the list of tasks that wait for this one.',
      'Replaces the list of tasks that this one waits for.',
    ),
  },
  { description: 'What to change about a task. Omitted fields stay as they are.' },
)
export type TaskUpdate = Static<typeof TaskUpdate>
