import { context } from '@opentelemetry/api'
import { SkeinApiError, type Transport } from '@skein/client'
import { completeRun, type Assignment, type RunCommand } from '@skein/contract'
import type { Turn, TurnResult } from '../backends/backend.ts'
import { LimitNotHeld } from '../sandbox/limits/held-limits.ts'
import type { SandboxProvider } from '../sandbox/sandbox.ts'
import { Redactor } from '../secrets/redactor.ts'
import { AgentApi } from '../tools/agent-api.ts'
import { TurnIntent } from '../tools/turn-intent.ts'
import type { AgentWorkspace } from '../workspace/agent-workspace.ts'
import { GitError } from '../git/git-error.ts'
import { Checkpoints } from './checkpoints.ts'
import type { Desk } from './desk.ts'
import { DeskSaver } from './desk-saver.ts'
import { LeaseLoss } from './lease-loss.ts'
import { ModelAccess } from './model-access.ts'
import { modelPolicyOf } from './model-policy.ts'
import { LimitBreached, openDesk } from './open-desk.ts'
import { OpenPullRequests } from './open-pull-requests.ts'
import { openWorkspace } from './open-workspace.ts'
import { breachedOutcome, toOutcome, type Outcome, type TurnEnd } from './outcome.ts'
import type { RunnerParts } from './parts.ts'
import type { OfferedBackend } from '../backends/offered-backend.ts'
import { findMissingKey, nameKey } from './payer.ts'
import { nameRun, type RunEnd } from '../runner-event.ts'
import { canUseGit, SetupFailed } from './prepare-sandbox.ts'
import { hasCodeHost } from './instructions.ts'
import { buildPrompt, type Remembered } from './prompt.ts'
import { redactingTransport } from './redacting-transport.ts'
import { PushDiffs } from '../diffs/push-diffs.ts'
import { reportEnd } from './report-end.ts'
import { RunReporter } from './run-reporter.ts'
import { secretsOf } from './run-secrets.ts'
import { parseSavedSession, type SavedSession } from './saved-session.ts'
import { inStep, inTurnSpan } from './run-spans.ts'
import { toReportedEvents } from './to-events.ts'
import { ToolSpans } from './tool-spans.ts'
import { tracingTransport } from './tracing-transport.ts'

type Stop = TurnEnd['stop'] | 'lost'

const STRENGTH: Readonly<Record<Stop, number>> = { none: 0, 'hand-back': 1, interrupt: 2, kill: 3, lost: 4 }
/** How often a run is passed on to other runners of the pool before it fails. */
const MAX_PASSES = 5
const PASS_MS = 3_000

/** One run, from its lease to its report. */
export class RunExecution {
  readonly #parts: RunnerParts
  readonly #assignment: Assignment
  /** Redacts secrets. */
  readonly #transport: Transport
  readonly #redactor: Redactor
  readonly #reporter: RunReporter
  readonly #diffs: PushDiffs
  readonly #lost = new AbortController()
  readonly #leaseLoss = new LeaseLoss(() => this.stop('lost'))
  /** The run should end, in whatever way. */
  readonly #stopping = new AbortController()
  /** The run should end immediately, with every process. */
  readonly #halting = new AbortController()
  readonly #intent = new TurnIntent()
  readonly #model: ModelAccess
  #stop: Stop = 'none'
  #turn: Turn | undefined
  #desk: Desk | undefined
  #closeDesk = async (): Promise<void> => {}
  #sweep: (reported: string) => Promise<void> = async () => {}

  constructor(parts: RunnerParts, assignment: Assignment) {
    this.#parts = parts
    this.#assignment = assignment
    this.#redactor = new Redactor([...parts.secrets, ...secretsOf(assignment)])
    this.#transport = redactingTransport(parts.transport, this.#redactor)
    this.#reporter = new RunReporter(this.#transport, {
      lease: assignment.lease,
      signal: this.#lost.signal,
      onLost: () => this.#leaseLoss.hear(),
      onRefused: ({ message }) => this.#complain(`a report was rejected: ${message}`),
    })
    this.#diffs = new PushDiffs(this.#transport, {
      lease: assignment.lease,
      signal: this.#halting.signal,
      onProblem: (error) => this.#complain(`a diff was not recorded: ${messageOf(error)}`),
    })
    this.#model = new ModelAccess(this.#reporter, parts, assignment)
  }

  /** Never rejects. */
  async run(): Promise<RunEnd> {
    const { lease, leaseMs, sandbox } = this.#assignment
    this.#parts.offers.sandboxes.get(sandbox)?.expectOne()
    this.#parts.leases.hold(lease, {
      leaseMs,
      onCommand: (command) => this.#obey(command),
      onLost: () => this.#leaseLoss.hear(),
    })
    try {
      const outcome = await this.#execute().catch((error: unknown) => this.#toFailure(error))
      await this.#report(outcome)
      const reason = this.#stop === 'lost' ? 'lost' : outcome.reason
      return { reason, durationMs: this.#model.elapsedMs, costUsd: this.#model.costUsd }
    } finally {
      this.#parts.leases.release(lease)
    }
  }

  /** A weaker stop never replaces a stronger one. */
  stop(stop: Stop): void {
    if (STRENGTH[stop] <= STRENGTH[this.#stop]) return
    this.#stop = stop
    this.#stopping.abort()
    if (stop === 'lost') this.#lost.abort()
    if (stop === 'lost' || stop === 'kill') {
      this.#halting.abort()
      this.#closeDesk().catch((error: unknown) => this.#complain(messageOf(error)))
    } else {
      this.#turn?.interrupt().catch((error: unknown) => this.#complain(messageOf(error)))
    }
  }

  #obey({ type, text, followUpId }: RunCommand): void {
    switch (type) {
      case 'INTERRUPT':
        return this.stop('interrupt')
      case 'KILL':
        return this.stop('kill')
      case 'STEER':
        this.#steer(text, followUpId).catch((error: unknown) => this.#complain(messageOf(error)))
    }
  }

  /** A message that cannot be delivered in this turn stays queued and starts the next. */
  async #steer(text: string, followUpId: string): Promise<void> {
    if (await this.#turn?.steer(text)) this.#reporter.add({ type: 'run.steered', followUpId })
  }

  async #execute(): Promise<Outcome> {
    const { backend: backendName, sandbox: level, environment } = this.#assignment
    const { offers } = this.#parts
    const offered = offers.backends.get(backendName)
    if (!offered) {
      const message = `This runner does not offer the backend ${backendName}.`
      return this.#pass('program-missing', `${message} ${offers.problemOf('backend', backendName)}`.trim())
    }
    const missingKey = findMissingKey(this.#assignment, offered.provider, this.#parts.gateway)
    if (missingKey) {
      const { message, isOurs } = missingKey
      return isOurs ? this.#pass('auth', message) : failure('auth', message, false)
    }
    const provider = offers.sandboxes.get(level)
    if (!provider) {
      const message = `This runner does not offer the sandbox ${level}.`
      return this.#pass('sandbox', `${message} ${offers.problemOf('sandbox', level)}`.trim())
    }
    const { name: network, problem } = offers.networkOf(level, environment.network)
    if (problem !== '') {
      const message = `This runner does not offer the network ${network} in the sandbox ${level}.`
      return this.#pass('network', `${message} ${problem}`)
    }
    const leaveStart = await this.#parts.starts.enter(this.#stopping.signal)
    if (!leaveStart) return this.#toOutcome({ status: 'interrupted', text: '', session: undefined })
    try {
      const workspace = await inStep('open workspace', () => openWorkspace(this.#parts, this.#assignment))
      try {
        return await this.#work(workspace, offered, provider, leaveStart)
      } finally {
        await workspace.close()
      }
    } finally {
      leaveStart()
    }
  }

  /** Another runner of the pool may have what we lack. The agent fails only if none takes it. */
  #pass(code: string, message: string): Outcome {
    if (this.#assignment.attempt > MAX_PASSES) return failure(code, message, false)
    return { reason: 'paused', retryAfterMs: PASS_MS, message }
  }

  async #work(
    workspace: AgentWorkspace,
    offered: OfferedBackend,
    provider: SandboxProvider,
    leaveStart: () => void,
  ): Promise<Outcome> {
    const saved = parseSavedSession(this.#assignment.session)
    const pullRequests = this.#pullRequests(workspace)
    const desk = await inStep('prepare sandbox', () =>
      openDesk({
        parts: this.#parts,
        assignment: this.#assignment,
        workspace,
        offered,
        provider,
        saved,
        reporter: this.#reporter,
        diffs: this.#diffs,
        redactor: this.#redactor,
        onPushed: (push) => pullRequests?.notePush(push),
        signal: this.#halting.signal,
      }),
    )
    this.#desk = desk
    this.#closeDesk = () => desk.close()
    const { blobs } = this.#parts
    const saving = new DeskSaver({
      blobs,
      assignment: this.#assignment,
      workspace,
      desk,
      redactor: this.#redactor,
    })
    const checkpoints = new Checkpoints(async () => this.#checkpoint(saving), {
      everyMs: this.#parts.checkpointMs,
    })
    let isReusable = false
    try {
      const result = await inTurnSpan(this.#assignment, offered, () =>
        this.#takeTurn(desk, offered, saved, pullRequests, leaveStart, saving, checkpoints),
      )
      await checkpoints.stop()
      // Afterwards, the run is not ours any more.
      await pullRequests?.idle(this.#halting.signal)
      const outcome = this.#toOutcome(result)
      // Nothing can be saved from a sandbox whose programs were all killed.
      if (this.#halting.signal.aborted || desk.sandbox.findBreach() !== '') return outcome
      const sweep = this.#planSweep(saving)
      // A conversation the program cannot find is dropped: the next attempt starts a new one.
      const isLost = result.status === 'failed' && result.error.kind === 'session-lost'
      const session = isLost ? '' : await this.#save(saving)
      isReusable = !isLost && outcome.reason !== 'failed' && outcome.reason !== 'paused'
      // Before the report: afterwards, the list could contain saves of another attempt.
      this.#sweep = await sweep
      return { ...outcome, ...(session !== undefined && { session }) }
    } finally {
      await checkpoints.stop()
      await this.#parts.gateway.close(desk.token)
      this.#parts.tools.close(desk.token)
      if (isReusable && !this.#halting.signal.aborted) await this.#leaveDesk(workspace.names.hash, desk)
      else await desk.close()
    }
  }

  /** From then on, the agent's next run may be at it, even before this one has reported its end. */
  async #leaveDesk(agentHash: string, desk: Desk): Promise<void> {
    this.#closeDesk = () => this.#parts.desks.drop(agentHash, desk)
    await this.#parts.desks.put(agentHash, desk)
  }

  async #takeTurn(
    desk: Desk,
    { provider }: OfferedBackend,
    saved: SavedSession | undefined,
    pullRequests: OpenPullRequests | undefined,
    leaveStart: () => void,
    saving: DeskSaver,
    checkpoints: Checkpoints,
  ): Promise<TurnResult> {
    if (this.#isStopping()) return { status: 'interrupted', text: '', session: saved?.session }
    this.#openFront(desk.token, provider, pullRequests, leaveStart)
    const { runTimeMs, idleTimeMs } = this.#assignment.limits
    const tools = new ToolSpans(this.#redactor.redact)
    const turn = desk.program.startTurn({
      prompt: buildPrompt(this.#assignment, rememberedBy(desk, saved, this.#assignment)),
      limits: { wallMs: runTimeMs, idleMs: idleTimeMs },
    })
    this.#turn = turn
    // A stop that arrived while the program was starting found no turn to stop.
    if (this.#isStopping()) void turn.interrupt()
    for await (const event of turn.events) {
      tools.observe(event)
      for (const reported of toReportedEvents(event)) this.#reporter.add(reported)
      if (event.type === 'started') saving.session = event.session
      else saving.markBegun()
      if (event.type === 'tool-ended') checkpoints.touch()
    }
    const result = await turn.result
    tools.endAll()
    saving.session = result.session ?? saving.session
    desk.hasConversation = true
    return result
  }

  #isStopping(): boolean {
    return this.#stop !== 'none'
  }

  #openFront(
    token: string,
    provider: OfferedBackend['provider'],
    pullRequests: OpenPullRequests | undefined,
    leaveStart: () => void,
  ): void {
    const { lease, agentId, runKey, prices, leastPrices, toolPrices, providerKey } = this.#assignment
    this.#parts.tools.open(token, {
      lease,
      api: new AgentApi(
        tracingTransport(redactingTransport(this.#parts.transportFor(runKey), this.#redactor)),
        agentId,
      ),
      intent: this.#intent,
      pullRequests,
      onError: (error) => this.#complain(`a tool failed: ${messageOf(error)}`),
      traceContext: context.active(),
    })
    const policy = modelPolicyOf(this.#assignment)
    const terms = {
      prices,
      leastPrices,
      toolPrices,
      policy,
      traceContext: context.active(),
      ...(provider && { provider }),
      ...(providerKey && { apiKey: providerKey.value }),
    }
    this.#parts.gateway.open(token, this.#model.grant(terms, leaveStart))
  }

  #pullRequests(workspace: AgentWorkspace): OpenPullRequests | undefined {
    if (!hasCodeHost(this.#assignment) || !canUseGit(this.#assignment)) return undefined
    return new OpenPullRequests(tracingTransport(this.#transport), this.#assignment, workspace)
  }

  async #checkpoint(saving: DeskSaver): Promise<void> {
    const session = await this.#save(saving)
    if (session !== undefined) this.#reporter.saveSession(session)
  }

  /** A failed save must not discard the turn. */
  async #save(saving: DeskSaver): Promise<string | undefined> {
    try {
      return await inStep('save work', () =>
        saving.save((problem, what) => {
          this.#tell(problem)
          if (what === 'work') this.#parts.onEvent({ type: 'git-failed', kind: 'save' })
        }),
      )
    } catch (error) {
      this.#tell(`The turn could not be saved: ${messageOf(error)}`)
      this.#complain(messageOf(error))
      return undefined
    }
  }

  /** Old saves take up space, but no run depends on their removal. */
  async #planSweep(saving: DeskSaver): Promise<(reported: string) => Promise<void>> {
    try {
      return await saving.planSweep()
    } catch (error) {
      this.#complain(`earlier saves could not be listed: ${messageOf(error)}`)
      return async () => {}
    }
  }

  async #sweepSaves(reported: string): Promise<void> {
    try {
      await this.#sweep(reported)
    } catch (error) {
      this.#complain(`earlier saves could not be removed: ${messageOf(error)}`)
    }
  }

  #toOutcome(result: TurnResult): Outcome {
    const { attempt, limits, backend } = this.#assignment
    const { offers } = this.#parts
    return toOutcome({
      result,
      intent: this.#redactor.redactAll(this.#intent.current),
      stop: this.#stop === 'lost' ? 'kill' : this.#stop,
      budgetRefusal: this.#model.budgetRefusal,
      limitResetMs: this.#model.limitResetMs,
      breach: this.#desk?.sandbox.findBreach() ?? '',
      memory: { kills: this.#desk?.sandbox.countMemoryKills() ?? 0, mib: limits.memoryMib },
      attempt,
      elapsedMs: this.#model.elapsedMs,
      wallMs: limits.runTimeMs,
      keyName: nameKey(
        this.#assignment,
        offers.backends.get(backend)?.provider,
        offers.describe().name ?? '',
      ),
    })
  }

  #toFailure(error: unknown): Outcome {
    if (this.#isStopping()) return this.#toOutcome({ status: 'interrupted', text: '', session: undefined })
    if (error instanceof GitError) this.#parts.onEvent({ type: 'git-failed', kind: error.kind })
    if (error instanceof GitError && error.detail !== '') this.#complain(`${error.message}: ${error.detail}`)
    if (error instanceof GitError && error.kind === 'busy') return this.#pass('git-busy', error.message)
    if (error instanceof GitError) return failure(`git-${error.kind}`, error.message, isPassing(error))
    if (error instanceof LimitNotHeld) return this.#pass('sandbox', error.message)
    if (error instanceof LimitBreached) return breachedOutcome(error.message)
    if (error instanceof SetupFailed) return failure('set-up', error.message, false)
    this.#complain(messageOf(error))
    return failure('runner', messageOf(error), true)
  }

  #complain(message: string): void {
    const about = nameRun(this.#assignment)
    this.#parts.onEvent({ type: 'problem', about, message: this.#redactor.redact(message) })
  }

  #tell(message: string): void {
    this.#reporter.add({ type: 'run.progressed', message })
  }

  async #report(outcome: Outcome): Promise<void> {
    await this.#diffs.settle()
    const end = await this.#leaseLoss.decideBy(() => this.#reportEnd(outcome))
    if (end === 'lost') return this.stop('lost')
    // From now on, heartbeats are told that the run is not ours. That must not end the program, which waits for the next.
    this.#parts.leases.release(this.#assignment.lease)
    // Without a session in the report, we do not know which one the service has.
    if (end === 'accepted' && outcome.session !== undefined) await this.#sweepSaves(outcome.session)
  }

  async #reportEnd(outcome: Outcome): Promise<'accepted' | 'rejected' | 'lost'> {
    const end = await reportEnd({
      transport: tracingTransport(this.#transport),
      reporter: this.#reporter,
      lease: this.#assignment.lease,
      outcome,
      signal: this.#lost.signal,
    })
    if (end instanceof SkeinApiError) return this.#reportRefusal(end.message)
    return end.isAccepted ? 'accepted' : 'lost'
  }

  /** An outcome the service rejects must not keep the run forever. */
  async #reportRefusal(why: string): Promise<'rejected' | 'lost'> {
    this.#complain(`the outcome was rejected: ${why}`)
    const outcome = failure('runner', 'The runner could not report how the turn ended.', true)
    const { lease } = this.#assignment
    try {
      const body = { lease, outcome }
      const { accepted } = await this.#transport.call(completeRun, { body, signal: this.#lost.signal })
      return accepted ? 'rejected' : 'lost'
    } catch (error) {
      this.#complain(messageOf(error))
      return 'rejected'
    }
  }
}

function rememberedBy(
  { hasConversation }: Desk,
  saved: SavedSession | undefined,
  { runId, runsBefore, unanswered }: Assignment,
): Remembered {
  if (!saved || !hasConversation) return 'nothing'
  if (saved.runId === runId) return 'this-turn'
  return unanswered.length > 0 && saved.runId !== runsBefore ? 'not-the-last-turn' : 'earlier-turns'
}

/** Whether it may succeed a little later. */
function isPassing({ kind }: GitError): boolean {
  return kind === 'unreachable' || kind === 'busy' || kind === 'failed'
}

function failure(code: string, message: string, isRetryable: boolean): Outcome {
  return { reason: 'failed', error: { code, message, isRetryable } }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
