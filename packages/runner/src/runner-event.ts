/** For logs and metrics. */
export type RunnerEvent =
  | {
      readonly type: 'model-called'
      readonly costUsd: number
      readonly isFirst: boolean
      readonly sinceStartMs: number
    }
  | { readonly type: 'run-began' }
  | { readonly type: 'run-ended' }
  /** Something this runner should offer but cannot. */
  | { readonly type: 'missing'; readonly what: string; readonly reason: string }
  /** It works now. */
  | { readonly type: 'fixed'; readonly what: string }
  | { readonly type: 'unreachable'; readonly message: string }
  | { readonly type: 'problem'; readonly agent: string; readonly message: string }
