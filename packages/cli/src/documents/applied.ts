import { markOf } from './set-mark.ts'

export interface ApplyOptions {
  readonly file: readonly string[]
  readonly dryRun?: true
  readonly writeSecrets?: true
  readonly justification?: string
  readonly set?: string
  readonly prune?: true
  readonly yes?: true
}

export interface Applied {
  readonly kind: string
  readonly name: string
  readonly action: 'create' | 'update' | 'adopt' | 'unchanged' | 'delete' | 'keep' | 'conflict' | 'error'
  readonly generation: string
  readonly message: string
  /** One-time secrets in this response, by field. */
  readonly secrets?: Readonly<Record<string, string>>
}

/** The set's mark comes first, because prune looks for it. */
export function justify({ set, justification }: ApplyOptions): string | undefined {
  if (set === undefined) return justification
  return justification === undefined ? markOf(set) : `${markOf(set)}: ${justification}`
}
