import { createTasks as operation } from '@skein/contract'
import { createTasks } from '@skein/engine'
import { commandOn } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const createTasksRoute = route(operation, async (input) =>
  createTasks(input.engine, ...(await commandOn(input)), input.body.tasks),
)
