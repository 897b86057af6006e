import { Type } from 'typebox'
import { AgentIdInput } from '../schemas/identity.ts'
import { request, response } from '../schemas/primitives.ts'
import { Task, TaskInput, TaskUpdate } from '../schemas/task.ts'
import { agentIdInput, task } from './examples.ts'
import { defineOperation } from './operation.ts'

const tasks = Type.Array(Task, { description: 'The whole checklist, in order.' })
const TasksResponse = response('TasksResponse', { tasks })

export const listTasks = defineOperation({
  id: 'listTasks',
  method: 'POST',
  path: '/v1/agent/tasks',
  tag: 'tasks',
  summary: 'List an agent’s tasks',
  description: 'The checklist, inactive tasks included.',
  permission: 'agent.follow',
  body: request('ListTasksRequest', { agentId: AgentIdInput }),
  response: response('ListTasksResponse', {
    tasks,
    openTaskIds: Type.Array(Type.String(), {
      description: 'Those that prevent completion: active, and neither completed nor deleted.',
    }),
  }),
  reasons: ['AGENT_NOT_FOUND'],
  example: {
    request: { agentId: agentIdInput },
    response: { tasks: [task], openTaskIds: [task.id] },
  },
})

export const createTasks = defineOperation({
  id: 'createTasks',
  method: 'POST',
  path: '/v1/agent/tasks/create',
  tag: 'tasks',
  summary: 'Add tasks to an agent’s checklist',
  description: 'All of them or none.',
  permission: 'agent.drive',
  isMutation: true,
  body: request('CreateTasksRequest', {
    agentId: AgentIdInput,
    tasks: Type.Array(TaskInput, { minItems: 1, maxItems: 500 }),
  }),
  response: TasksResponse,
  reasons: ['AGENT_NOT_FOUND', 'AGENT_NOT_RUNNING', 'TASK_BLOCKED', 'QUOTA_EXCEEDED'],
  example: {
    request: { agentId: agentIdInput, tasks: [{ id: 'tests', subject: task.subject }] },
    response: { tasks: [task] },
  },
})

export const updateTasks = defineOperation({
  id: 'updateTasks',
  method: 'POST',
  path: '/v1/agent/tasks/update',
  tag: 'tasks',
  summary: 'Change tasks on an agent’s checklist',
  description: 'All of the changes or none. Blockers are kept symmetric.',
  permission: 'agent.drive',
  isMutation: true,
  body: request('UpdateTasksRequest', {
    agentId: AgentIdInput,
    tasks: Type.Array(TaskUpdate, { minItems: 1, maxItems: 500 }),
  }),
  response: TasksResponse,
  reasons: [
    'AGENT_NOT_FOUND',
    'AGENT_NOT_RUNNING',
    'TASK_NOT_FOUND',
    'TASK_BLOCKED',
    'TASK_TRANSITION_INVALID',
  ],
  example: {
    request: { agentId: agentIdInput, tasks: [{ id: 'tests', status: 'TASK_STATUS_COMPLETED' }] },
    response: { tasks: [{ ...task, status: 'TASK_STATUS_COMPLETED' }] },
  },
})
