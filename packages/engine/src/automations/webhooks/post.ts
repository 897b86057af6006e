/** A request to a receiver. */
export interface OutgoingPost {
  /** The integration: a receiver that hangs holds up only its own. */
  readonly sender: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface PostResponse {
  readonly status: number
  readonly retryAfter: string | undefined
  /** The beginning of the body, as text. */
  readonly body: string
}

/** Sends a request within its limits. Rejects with a reason that the integration's owner may read. */
export type Post = (post: OutgoingPost) => Promise<PostResponse>
