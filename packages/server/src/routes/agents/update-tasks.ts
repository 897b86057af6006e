import { updateTasks as operation } from '@skein/contract'
import { updateTasks } from '@skein/engine'
import { commandOn } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const updateTasksRoute = route(operation, async (input) =>
  updateTasks(input.engine, ...(await commandOn(input)), input.body.tasks),
)
