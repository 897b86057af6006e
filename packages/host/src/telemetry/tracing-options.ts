export interface TracingOptions {
  /** The program, such as `skein-server`. */
  readonly service: string
  readonly version: string
  /** The collector's URL for OTLP over HTTP. Empty: no traces. */
  readonly endpoint: string
  /** More about this process, for all of its spans. */
  readonly attributes?: Readonly<Record<string, string>>
  /** At most once a minute while spans cannot be sent. They are dropped. */
  readonly onProblem: (error: Error) => void
}
