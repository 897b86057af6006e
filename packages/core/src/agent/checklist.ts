import {
  MAX_VIOLATIONS,
  SkeinError,
  specified,
  type FieldViolation,
  type Task,
  type TaskInput,
  type TaskStatus,
  type TaskUpdate,
} from '@skein/contract'

/**
 * Checklist rules. `blocks` and `blockedBy` describe the same links from both ends and are kept in sync; a task can
 * never depend on itself, directly or indirectly.
 */

export function isOpen(task: Task): boolean {
  return task.status === 'TASK_STATUS_PENDING' || task.status === 'TASK_STATUS_IN_PROGRESS'
}

/** Unconditional tasks are always active; conditional ones become active once the current run meets the condition. */
function isActive(task: Task, activeTaskIds: readonly string[]): boolean {
  return task.activation.filesModified === undefined || activeTaskIds.includes(task.id)
}

/** Tasks that prevent an agent from completing. */
export function openTasks(tasks: readonly Task[], activeTaskIds: readonly string[]): Task[] {
  return tasks.filter((task) => isOpen(task) && isActive(task, activeTaskIds))
}

/** Tasks that count towards progress. A task whose condition is not met is neither open nor done. */
export function countedTasks(tasks: readonly Task[], activeTaskIds: readonly string[]): Task[] {
  return tasks.filter(
    (task) => task.status === 'TASK_STATUS_COMPLETED' || (isOpen(task) && isActive(task, activeTaskIds)),
  )
}

export function newTask(input: TaskInput, mintedId: string): Task {
  const { id = '', subject, description = '', status, blocks = [], blockedBy = [], activation = {} } = input
  return {
    id: id === '' ? mintedId : id,
    subject,
    description,
    status: specified(status) ?? 'TASK_STATUS_PENDING',
    blocks: [...new Set(blocks)],
    blockedBy: [...new Set(blockedBy)],
    activation,
    persona: '',
    dedupKey: '',
    ephemeral: false,
  }
}

interface AddedTasks {
  readonly created: readonly Task[]
  /** Existing tasks that are now linked to new ones. */
  readonly updated: readonly Task[]
}

export function addTasks(existing: readonly Task[], added: readonly Task[]): AddedTasks {
  const linked = symmetric([...existing, ...added])
  const problem = problemWith(linked, existing, added)
  if (problem) throw problem
  return {
    created: linked.slice(existing.length),
    updated: linked.slice(0, existing.length).filter((task, index) => !sameLinks(task, existing[index])),
  }
}

/**
 * Adds tasks that were validated when their message was accepted. The checklist may have changed since, and that
 * must not lose the message: whatever no longer fits is dropped, first the status, then the links.
 */
export function addAcceptedTasks(existing: readonly Task[], accepted: readonly Task[]): AddedTasks {
  const known = new Set(existing.map(({ id }) => id))
  const fresh = accepted.filter(({ id }) => !known.has(id))
  const ids = new Set([...known, ...fresh.map(({ id }) => id)])
  const asSent = fresh.map((task) => ({
    ...task,
    blocks: task.blocks.filter((id) => ids.has(id)),
    blockedBy: task.blockedBy.filter((id) => ids.has(id)),
  }))
  const notBegun = asSent.map((task) => ({ ...task, status: 'TASK_STATUS_PENDING' as const }))
  const unlinked = fresh.map((task) => ({ ...task, blocks: [], blockedBy: [] }))
  const fitting = [asSent, notBegun].find(
    (tasks) => problemWith(symmetric([...existing, ...tasks]), existing, tasks) === undefined,
  )
  return addTasks(existing, fitting ?? unlinked)
}

function problemWith(
  linked: readonly Task[],
  existing: readonly Task[],
  added: readonly Task[],
): SkeinError | undefined {
  const violations: FieldViolation[] = []
  const seen = new Set(existing.map(({ id }) => id))
  for (const [index, { id, status }] of added.entries()) {
    if (seen.has(id)) violations.push({ field: `tasks[${index}].id`, description: `${id} already exists` })
    if (status === 'TASK_STATUS_DELETED') {
      violations.push({ field: `tasks[${index}].status`, description: 'a new task cannot be deleted' })
    }
    seen.add(id)
  }
  violations.push(...unknownLinks(linked, added))
  if (violations.length > 0) return invalidTasks(violations)
  const created = linked.slice(existing.length)
  return circleIn(linked) ?? created.map((task) => blockedTask(task, linked)).find((problem) => problem)
}

/** Returns only the changed tasks, in their new state. */
export function updateTasks(existing: readonly Task[], updates: readonly TaskUpdate[]): readonly Task[] {
  let tasks = existing
  for (const update of updates) tasks = updateOne(tasks, update)
  // Checked once, after all updates: several updates together may reverse links, and each check walks all links.
  const problem = circleIn(tasks)
  if (problem) throw problem
  return tasks.filter((task, index) => task !== existing[index])
}

function updateOne(tasks: readonly Task[], update: TaskUpdate): readonly Task[] {
  const current = tasks.find(({ id }) => id === update.id)
  if (!current) throw new SkeinError('TASK_NOT_FOUND', { message: `Task ${update.id} not found.` })
  const status = specified(update.status) ?? current.status
  requireTransition(current, status)
  const next: Task = {
    ...current,
    subject: update.subject ?? current.subject,
    description: update.description ?? current.description,
    activation: update.activation ?? current.activation,
    status,
    blocks: update.blocks ? [...new Set(update.blocks)] : current.blocks,
    blockedBy: update.blockedBy ? [...new Set(update.blockedBy)] : current.blockedBy,
  }
  const relinked = relink(tasks, current, next)
  const violations = [...unknownLinks(relinked, [next]), ...selfLinks(next)]
  if (violations.length > 0) throw invalidTasks(violations)
  const problem = status === current.status ? undefined : blockedTask(next, relinked)
  if (problem) throw problem
  return relinked
}

/** Mirrors one task's new links in the linked tasks, and removes the old ones. */
function relink(tasks: readonly Task[], before: Task, after: Task): readonly Task[] {
  const [oldBlocks, newBlocks] = [new Set(before.blocks), new Set(after.blocks)]
  const [oldBlockedBy, newBlockedBy] = [new Set(before.blockedBy), new Set(after.blockedBy)]
  return tasks.map((task) => {
    const { id } = task
    if (id === after.id) return after
    const blockedBy = moved(task.blockedBy, after.id, oldBlocks.has(id), newBlocks.has(id))
    const blocks = moved(task.blocks, after.id, oldBlockedBy.has(id), newBlockedBy.has(id))
    return blockedBy === task.blockedBy && blocks === task.blocks ? task : { ...task, blocks, blockedBy }
  })
}

function moved(links: string[], id: string, was: boolean, is: boolean): string[] {
  if (was === is) return links
  return is ? [...links.filter((link) => link !== id), id] : links.filter((link) => link !== id)
}

/** Completes links that only one end declares. */
function symmetric(tasks: readonly Task[]): readonly Task[] {
  const blockersOf = sayingOf(tasks, ({ blocks }) => blocks)
  const blockedByOf = sayingOf(tasks, ({ blockedBy }) => blockedBy)
  return tasks.map((task) => {
    const blocks = union(task.blocks, blockedByOf.get(task.id))
    const blockedBy = union(task.blockedBy, blockersOf.get(task.id))
    return blocks === task.blocks && blockedBy === task.blockedBy ? task : { ...task, blocks, blockedBy }
  })
}

/** For each task, the tasks that link to it. */
function sayingOf(
  tasks: readonly Task[],
  linksOf: (task: Task) => readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>()
  for (const task of tasks) {
    for (const id of linksOf(task)) {
      const by = named.get(id)
      if (by) by.push(task.id)
      else named.set(id, [task.id])
    }
  }
  return named
}

function union(links: string[], others: readonly string[] = []): string[] {
  const known = new Set(links)
  const missing = others.filter((id) => !known.has(id))
  return missing.length === 0 ? links : [...links, ...missing]
}

function sameLinks(task: Task, other: Task | undefined): boolean {
  return task.blocks === other?.blocks && task.blockedBy === other.blockedBy
}

function* unknownLinks(all: readonly Task[], checked: readonly Task[]): Generator<FieldViolation> {
  const ids = new Set(all.map(({ id }) => id))
  let found = 0
  for (const task of checked) {
    for (const id of [...task.blocks, ...task.blockedBy]) {
      if (ids.has(id)) continue
      yield { field: 'tasks', description: `${task.id} is linked with ${id}, which does not exist` }
      // One request can contain a quarter of a million.
      if (++found === MAX_VIOLATIONS) return
    }
  }
}

function selfLinks({ id, blocks }: Task): FieldViolation[] {
  return blocks.includes(id) ? [waitsForItself(id)] : []
}

function waitsForItself(id: string): FieldViolation {
  return { field: 'tasks', description: `${id} would wait for itself` }
}

function invalidTasks(violations: readonly FieldViolation[]): SkeinError {
  return new SkeinError('REQUEST_INVALID', {
    message: 'The links between the tasks are not valid.',
    violations: violations.slice(0, MAX_VIOLATIONS),
  })
}

/** Finds cycles by following each task's blockers. */
function circleIn(tasks: readonly Task[]): SkeinError | undefined {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const done = new Set<string>()
  for (const start of tasks) {
    const path = new Set<string>()
    const walk: { id: string; leaving: boolean }[] = [{ id: start.id, leaving: false }]
    for (let step = walk.pop(); step; step = walk.pop()) {
      if (step.leaving) {
        path.delete(step.id)
        done.add(step.id)
        continue
      }
      if (done.has(step.id)) continue
      if (path.has(step.id)) return invalidTasks([waitsForItself(step.id)])
      path.add(step.id)
      walk.push({ id: step.id, leaving: true })
      for (const id of byId.get(step.id)?.blockedBy ?? []) walk.push({ id, leaving: false })
    }
  }
  return undefined
}

/** Rejects starting or completing a task while its blockers are open. */
function blockedTask(task: Task, tasks: readonly Task[]): SkeinError | undefined {
  if (task.status !== 'TASK_STATUS_IN_PROGRESS' && task.status !== 'TASK_STATUS_COMPLETED') return undefined
  const blockedBy = new Set(task.blockedBy)
  const blockers = tasks.filter((other) => blockedBy.has(other.id) && isOpen(other))
  if (blockers.length === 0) return undefined
  const names = blockers.map(({ id }) => id)
  return new SkeinError('TASK_BLOCKED', {
    message: `Task ${task.id} is blocked by ${names.join(', ')}.`,
    metadata: { blockers: names.join(',') },
  })
}

const TRANSITIONS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  TASK_STATUS_UNSPECIFIED: [],
  TASK_STATUS_PENDING: ['TASK_STATUS_IN_PROGRESS', 'TASK_STATUS_COMPLETED', 'TASK_STATUS_DELETED'],
  TASK_STATUS_IN_PROGRESS: ['TASK_STATUS_PENDING', 'TASK_STATUS_COMPLETED', 'TASK_STATUS_DELETED'],
  TASK_STATUS_COMPLETED: ['TASK_STATUS_IN_PROGRESS', 'TASK_STATUS_DELETED'],
  TASK_STATUS_DELETED: [],
}

function requireTransition(task: Task, to: TaskStatus): void {
  if (task.status === to && to !== 'TASK_STATUS_DELETED') return
  if (TRANSITIONS[task.status].includes(to)) return
  throw new SkeinError('TASK_TRANSITION_INVALID', {
    message: `Task ${task.id} cannot change from ${task.status} to ${to}.`,
  })
}
