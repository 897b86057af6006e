import { listTasks } from '@skein/contract'
import { readTasks } from '@skein/engine'
import { targetOf } from '../../http/agent-target.ts'
import { route } from '../../http/route.ts'

export const listTasksRoute = route(listTasks, async (input) =>
  readTasks(input.engine, await targetOf(input)),
)
