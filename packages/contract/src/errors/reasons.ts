import type { Code } from './codes.ts'

export interface ReasonEntry {
  readonly code: Code
  /** Meaning, for the reference page. */
  readonly summary: string
  /** What the caller should do next. */
  readonly remedy: string
  /** Only if HTTP has a more precise status than the code's. */
  readonly httpStatus?: number
}

/**
 * All reasons for errors. Append-only: a published reason keeps its name, code and meaning, because programs branch
 * on it.
 */
export const REASONS = {
  // The request itself
  REQUEST_INVALID: {
    code: 'INVALID_ARGUMENT',
    summary: 'One or more fields of the request are invalid. The details list all of them.',
    remedy: 'Fix the fields named in the details and send the request again.',
  },
  JSON_INVALID: {
    code: 'INVALID_ARGUMENT',
    summary: 'The body is not JSON in UTF-8, or contains a forbidden key or character.',
    remedy: 'Send well-formed JSON without __proto__ keys, NUL characters or lone surrogates.',
  },
  HTTP_INVALID: {
    code: 'INVALID_ARGUMENT',
    summary: 'The request is not well-formed HTTP, or its URL cannot be decoded.',
    remedy: 'Check the URL escaping and the client that built the request.',
  },
  HEADERS_TOO_LARGE: {
    code: 'RESOURCE_EXHAUSTED',
    summary: 'The request headers are larger than the server accepts.',
    remedy: 'Send fewer or shorter headers.',
    httpStatus: 431,
  },
  REQUEST_TIMEOUT: {
    code: 'DEADLINE_EXCEEDED',
    summary: 'The request did not arrive completely in time.',
    remedy: 'Send the request again. If it is large, check the connection.',
    httpStatus: 408,
  },
  MEDIA_TYPE_UNSUPPORTED: {
    code: 'INVALID_ARGUMENT',
    summary: 'The media type of the body is not application/json.',
    remedy: 'Send JSON with the header Content-Type: application/json.',
    httpStatus: 415,
  },
  BODY_TOO_LARGE: {
    code: 'RESOURCE_EXHAUSTED',
    summary: 'The body is larger than this operation accepts.',
    remedy: 'Send less: 1 MiB for most operations, 4 MiB for a catalog write.',
    httpStatus: 413,
  },
  PATH_UNKNOWN: {
    code: 'NOT_FOUND',
    summary: 'No operation has this path.',
    remedy: 'Check the path against the API reference. Every path begins with /v1.',
  },
  METHOD_NOT_ALLOWED: {
    code: 'UNIMPLEMENTED',
    summary: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the Allow header.',
    httpStatus: 405,
  },
  OPERATION_NOT_SERVED: {
    code: 'UNIMPLEMENTED',
    summary: 'The operation is part of the contract, but this version of the server does not serve it yet.',
    remedy: 'Upgrade the server.',
  },
  IDEMPOTENCY_KEY_INVALID: {
    code: 'INVALID_ARGUMENT',
    summary: 'The Idempotency-Key header is not 1 to 255 printable characters.',
    remedy: 'Use a new UUID for each new request, and the same one for a retry.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    code: 'INVALID_ARGUMENT',
    summary: 'This Idempotency-Key was used for another request within the last 24 hours.',
    remedy: 'Use a new key for a new request.',
  },

  REQUEST_CANCELLED: {
    code: 'CANCELLED',
    summary: 'The client disconnected before there was a response.',
    remedy: 'Nothing: the operation either had no effect, or its effect is visible when you ask again.',
  },

  // Who is asking
  CREDENTIAL_MISSING: {
    code: 'UNAUTHENTICATED',
    summary: 'The request has no API key.',
    remedy: 'Send the header Authorization: Bearer skn_….',
  },
  CREDENTIAL_INVALID: {
    code: 'UNAUTHENTICATED',
    summary:
      'The API key is malformed, unknown, expired or revoked. For security, the response does not say which.',
    remedy: 'Check the key, or ask an admin of your tenant for a new one.',
  },
  TENANT_SUSPENDED: {
    code: 'PERMISSION_DENIED',
    summary: 'An operator of this installation has suspended the tenant. No data is lost.',
    remedy:
      'Ask the operators of the installation to resume the tenant. Keys and sessions then work again as before.',
  },
  PERMISSION_MISSING: {
    code: 'PERMISSION_DENIED',
    summary: 'The caller is known, but its role does not allow this operation.',
    remedy: 'Use a key with a role that has the permission named in the details.',
  },
  CROSS_SITE_REQUEST: {
    code: 'PERMISSION_DENIED',
    summary:
      'A write that is authenticated by a session cookie must come from one of the service’s own pages.',
    remedy: 'Use the dashboard, or send an API key in the Authorization header.',
  },
  ROLE_NOT_GRANTABLE: {
    code: 'PERMISSION_DENIED',
    summary: 'The caller may not create or change a token with this role.',
    remedy: 'Ask an operator, or choose a role no higher than your own.',
  },
  JUSTIFICATION_REQUIRED: {
    code: 'INVALID_ARGUMENT',
    summary:
      'An operator must give a justification for each catalog write, and for each change to another tenant’s agents.',
    remedy:
      'Send a justification, which the tenant can read in its audit log: in the body of a catalog write, in the header X-Skein-Justification elsewhere.',
  },

  IDENTITY_PROVIDER_NOT_FOUND: {
    code: 'NOT_FOUND',
    summary: 'The tenant does not have this identity provider, or sign-in with it is paused.',
    remedy: 'Check the link to the sign-in page, or ask an admin of your tenant.',
  },
  SIGN_IN_EXPIRED: {
    code: 'UNAUTHENTICATED',
    summary:
      'This sign-in was started in another browser or more than 10 minutes ago, or it is already finished.',
    remedy: 'Start again from the sign-in page.',
  },
  SIGN_IN_INVALID: {
    code: 'UNAUTHENTICATED',
    summary: 'The response of the identity provider does not prove who you are.',
    remedy:
      'Start again from the sign-in page. If it happens again, ask an admin to check the issuer, the client and its secret.',
  },
  SIGN_IN_REFUSED: {
    code: 'PERMISSION_DENIED',
    summary: 'The identity provider refused, or the person has no role in this tenant.',
    remedy: 'Ask an admin of your tenant for a role, or sign in with another account.',
  },
  LOGIN_NOT_FOUND: {
    code: 'NOT_FOUND',
    summary: 'No command line is waiting with this code, or it was already confirmed or refused.',
    remedy:
      'Compare the code with what the command line shows. It is valid for 10 minutes: run skein login again.',
  },
  LOGIN_PENDING: {
    code: 'FAILED_PRECONDITION',
    summary: 'The command line has not been confirmed yet.',
    remedy: 'Ask again after the interval that startLogin returned.',
  },
  LOGIN_EXPIRED: {
    code: 'UNAUTHENTICATED',
    summary:
      'The login has expired or was already completed, or the code or its verifier belongs to another login.',
    remedy: 'Start again with skein login.',
  },
  LOGIN_REFUSED: {
    code: 'PERMISSION_DENIED',
    summary: 'The person did not allow the command line to act for them.',
    remedy: 'If it was a mistake, start again with skein login.',
  },
  WORKLOAD_TOKEN_INVALID: {
    code: 'UNAUTHENTICATED',
    summary: 'The workload identity does not accept this token, or does not exist.',
    remedy:
      'Check tenant and name in the URL, and that the token is current and has the issuer and the audience of the workload identity.',
  },
  WORKLOAD_REFUSED: {
    code: 'PERMISSION_DENIED',
    summary: 'The token is valid, but does not meet a condition of the workload identity.',
    remedy: 'Compare the claims of the token with the conditions.',
  },
  IDENTITY_PROVIDER_UNAVAILABLE: {
    code: 'UNAVAILABLE',
    summary: 'The identity provider cannot be reached, or its response is not valid.',
    remedy: 'Try again in a moment. API keys keep working.',
  },

  // Load
  RATE_LIMITED: {
    code: 'RESOURCE_EXHAUSTED',
    summary: 'Too many requests from this address or caller.',
    remedy: 'Wait as long as Retry-After says, then send requests more slowly.',
  },
  SERVER_OVERLOADED: {
    code: 'UNAVAILABLE',
    summary: 'The server is too busy to respond in time and is shedding load.',
    remedy: 'Retry with back-off and the same Idempotency-Key.',
  },
  SERVER_STOPPING: {
    code: 'UNAVAILABLE',
    summary: 'This server is shutting down.',
    remedy: 'Retry with the same Idempotency-Key: another server will answer.',
  },
  TREE_BUSY: {
    code: 'UNAVAILABLE',
    summary:
      'Other commands for the same tree of agents or the same resource are still being carried out. Nothing was changed.',
    remedy:
      'Wait as long as RetryInfo says and send it again with the same Idempotency-Key. Send fewer commands for one tree at once.',
  },
  DATABASE_BUSY: {
    code: 'UNAVAILABLE',
    summary: 'The database took too long, so the request was aborted. Nothing was changed.',
    remedy:
      'Wait as long as RetryInfo says and send it again with the same Idempotency-Key. Ask for less if it was a large read.',
  },
  DATABASE_UNAVAILABLE: {
    code: 'UNAVAILABLE',
    summary: 'The server cannot reach its database. Nothing that was acknowledged is lost.',
    remedy: 'Retry with back-off and the same Idempotency-Key.',
  },
  TENANT_MOVING: {
    code: 'UNAVAILABLE',
    summary: 'The tenant is being moved to another cell. Nothing was changed, and nothing is lost.',
    remedy: 'Wait as long as RetryInfo says and send it again with the same Idempotency-Key.',
  },
  TENANT_MOVED: {
    code: 'UNAVAILABLE',
    summary: 'The tenant has moved to another cell, and the request came to the one it has left.',
    remedy:
      'Retry with the same Idempotency-Key. If it stays so, the operators have not told the load balancer yet: ErrorInfo names the cell.',
  },
  TIMELINE_UNAVAILABLE: {
    code: 'UNAVAILABLE',
    summary:
      'Old events cannot be read right now: the store that has them does not respond. Nothing is lost.',
    remedy: 'Wait as long as RetryInfo says and try again. Newer events can be read meanwhile.',
  },
  TIMELINE_DAMAGED: {
    code: 'FAILED_PRECONDITION',
    summary: 'Some old events cannot be read: the object that has them is missing or damaged.',
    remedy:
      'Ask your operator to restore it from a backup. To skip these events, read after the lastSequence in the details.',
  },
  INTERNAL_ERROR: {
    code: 'INTERNAL',
    summary: 'An internal error of the service. Find it in the logs by the request id.',
    remedy: 'Retry once with the same Idempotency-Key; then report it with the request id.',
  },

  // Catalog
  TENANT_NOT_FOUND: {
    code: 'NOT_FOUND',
    summary: 'The tenant does not exist, or the caller may not see it.',
    remedy: 'Omit the tenant to use your own.',
  },
  TENANT_OWN: {
    code: 'FAILED_PRECONDITION',
    summary: 'An operator cannot suspend or delete their own tenant.',
    remedy: 'Use the key of an operator in another tenant.',
  },
  TENANT_CLOSING: {
    code: 'FAILED_PRECONDITION',
    summary: 'The tenant is being deleted. Its name is free once that is done.',
    remedy: 'Poll GET /v1/tenants/{tenantId} until it returns NOT_FOUND.',
  },
  EXPORT_IN_PROGRESS: {
    code: 'RESOURCE_EXHAUSTED',
    summary: 'This server is already exporting a tenant. It runs one export at a time.',
    remedy: 'Wait as long as RetryInfo says and try again.',
  },
  KIND_UNKNOWN: {
    code: 'NOT_FOUND',
    summary: 'The catalog does not have this kind.',
    remedy: 'List the kinds with GET /v1/catalog.',
  },
  RESOURCE_NOT_FOUND: {
    code: 'NOT_FOUND',
    summary: 'The resource does not exist, or the caller may not see it.',
    remedy: 'Check the name. GET /v1/catalog/{kind} lists the existing ones.',
  },
  GENERATION_MISMATCH: {
    code: 'FAILED_PRECONDITION',
    summary: 'The resource is not at the generation that the write was conditioned on. Nothing was written.',
    remedy: 'Read it again, apply your change to what you read, and write with the new generation.',
  },
  DOCUMENT_INVALID: {
    code: 'INVALID_ARGUMENT',
    summary:
      'The document does not match the schema of its kind, or refers to a resource that does not exist.',
    remedy: 'Fix every field named in the details. GET /v1/catalog publishes the schemas.',
  },
  UPDATE_MASK_INVALID: {
    code: 'INVALID_ARGUMENT',
    summary: 'The update mask is not well-formed, or names a field that the kind does not have.',
    remedy: 'Use comma-separated lowerCamelCase paths such as model,tasks, or * for a full replace.',
  },
  RESOURCE_REFERENCED: {
    code: 'FAILED_PRECONDITION',
    summary: 'Other resources still refer to the resource to be deleted. The details name them.',
    remedy: 'First change or delete the resources that refer to it.',
  },
  RESOURCE_IN_USE: {
    code: 'FAILED_PRECONDITION',
    summary: 'Live agents use the resource to be deleted. The details name some of them.',
    remedy: 'Wait until they have ended, or kill them.',
  },
  BUILT_IN_NOT_DELETABLE: {
    code: 'FAILED_PRECONDITION',
    summary: 'A built-in cannot be deleted.',
    remedy: 'Write a resource with the same name to shadow it.',
  },
  FILTER_TOO_BROAD: {
    code: 'INVALID_ARGUMENT',
    summary: 'Too many agents would have to be searched to find the matching ones.',
    remedy: 'Limit the list to one account or one subtree, or exclude agents that have ended.',
  },
  PAGE_TOKEN_INVALID: {
    code: 'INVALID_ARGUMENT',
    summary: 'The page token was not issued for this list.',
    remedy: 'Start again without a page token.',
  },

  // Agents
  AGENT_NOT_FOUND: {
    code: 'NOT_FOUND',
    summary: 'The agent does not exist, or the caller may not see it.',
    remedy: 'Check workspace and path. POST /v1/agents lists the existing ones.',
  },
  AGENT_NOT_RUNNING: {
    code: 'NOT_FOUND',
    summary: 'The agent has ended, so nothing can be queued for it.',
    remedy: 'Continue it: spawn it with resume set to true. Without resume it starts from scratch.',
  },
  AGENT_ALREADY_EXISTS: {
    code: 'ALREADY_EXISTS',
    summary: 'A live agent already has this identity.',
    remedy: 'Queue a follow-up to it, kill it first, or choose another name.',
  },
  PARENT_NOT_LIVE: {
    code: 'FAILED_PRECONDITION',
    summary: 'A child needs a parent that is alive.',
    remedy: 'Spawn the parent first.',
  },
  SESSION_EXPIRED: {
    code: 'FAILED_PRECONDITION',
    summary: 'The agent ended too long ago: its conversation and unfinished work are no longer kept.',
    remedy: 'Spawn it without resume. It starts a new conversation on the same branch.',
  },
  AGENT_BEING_REMOVED: {
    code: 'ABORTED',
    summary: 'A runner is removing the data of the agent’s earlier incarnation.',
    remedy: 'Try again in a few minutes.',
  },
  RUN_NOT_CURRENT: {
    code: 'INVALID_ARGUMENT',
    summary: 'No turn is running, or the run number is not that of the current turn.',
    remedy: 'Read runCount from the status and stop that run, if it is still the one you mean.',
  },
  BUILD_LACKS_DEFERRAL: {
    code: 'FAILED_PRECONDITION',
    summary: 'The runners of the agent’s pool run a build that cannot defer messages.',
    remedy: 'Queue the message without deliverAt, or upgrade the runners.',
  },
  MODEL_SETTINGS_INVALID: {
    code: 'INVALID_ARGUMENT',
    summary: 'The model, effort, tier or output schema is not valid for the agent’s backend.',
    remedy: 'Choose values that the backend lists: GET /v1/catalog/backend/{name}.',
  },
  TASK_BLOCKED: {
    code: 'FAILED_PRECONDITION',
    summary: 'The task has an open blocker, so it cannot be started or completed.',
    remedy: 'Complete or delete the blocking tasks first.',
  },
  TASK_NOT_FOUND: {
    code: 'NOT_FOUND',
    summary: 'The agent does not have this task.',
    remedy: 'List the tasks with POST /v1/agent/tasks.',
  },
  TASK_TRANSITION_INVALID: {
    code: 'FAILED_PRECONDITION',
    summary: 'The task cannot change from its current status to the requested one.',
    remedy: 'A deleted task stays deleted; create a new one.',
  },
  QUOTA_EXCEEDED: {
    code: 'RESOURCE_EXHAUSTED',
    summary: 'A limit of the tenant is reached. The details name it.',
    remedy: 'Wait until agents or runs end, or raise the limit in the quota resource.',
  },
  SESSION_NOT_FOUND: {
    code: 'NOT_FOUND',
    summary: 'The account does not have this session, or it has ended.',
    remedy: 'List the sessions with GET /v1/sessions.',
  },
  ACCOUNT_NOT_LINKABLE: {
    code: 'FAILED_PRECONDITION',
    summary:
      'The account is already linked to another one, or the person has already linked an account of the same identity provider.',
    remedy: 'Unlink the other account, then link this one again.',
  },
  LINK_NOT_FOUND: {
    code: 'NOT_FOUND',
    summary: 'No account of this identity provider is linked, or the caller is not signed in as a person.',
    remedy: 'List the linked accounts with GET /v1/account/links.',
  },
  INVITATION_NOT_FOUND: {
    code: 'NOT_FOUND',
    summary: 'The invitation does not exist, was accepted or revoked, or has expired.',
    remedy: 'Ask an admin of your tenant for a new one.',
  },
  INVITATION_LIMIT: {
    code: 'RESOURCE_EXHAUSTED',
    summary: 'The tenant has reached its limit of open invitations.',
    remedy: 'Revoke some of them, or wait until they are accepted or expire.',
  },
  ACCOUNT_TAKEN: {
    code: 'ALREADY_EXISTS',
    summary: 'The account name is taken: it already has keys, agents or a place in a team.',
    remedy: 'Choose another name.',
  },
  BUDGET_USED_UP: {
    code: 'FAILED_PRECONDITION',
    summary: 'The child asks for a budget, but a budget above it is used up.',
    remedy: 'Raise that budget with POST /v1/agent/budget, then spawn the child again.',
  },
  AUTOMATIONS_UNAVAILABLE: {
    code: 'UNAVAILABLE',
    summary: 'No server that sends webhooks and calls code hosts handled the request in time.',
    remedy: 'Try again. If it happens again, ask your operator whether a server has the role automations.',
  },
  TRIGGER_REFUSED: {
    code: 'UNAUTHENTICATED',
    summary:
      'The request to the trigger has no valid signature or is too old, or the trigger does not exist.',
    remedy:
      'Compare the URL, the key and the signature scheme with those of the trigger, and check the clock.',
  },
  DELIVERY_NOT_FOUND: {
    code: 'NOT_FOUND',
    summary: 'The delivery does not exist, or is older than seven days.',
    remedy:
      'List the deliveries with GET /v1/triggers/{name}/deliveries or GET /v1/integration/{name}/deliveries.',
  },
  DELIVERY_NOT_KEPT: {
    code: 'FAILED_PRECONDITION',
    summary:
      'The body of the delivery was deleted: a trigger keeps the bodies of its newest 1,000 deliveries.',
    remedy: 'Have the sender send it again.',
  },
  KIND_READ_ONLY: {
    code: 'FAILED_PRECONDITION',
    summary: 'Resources of this kind are read-only: the service maintains them.',
    remedy: 'Change the original, such as the pull request on its code host.',
  },
  CODE_HOST_REFUSED: {
    code: 'FAILED_PRECONDITION',
    summary: 'The code host refused the call, or its document does not match it.',
    remedy:
      'The message contains the response of the code host. Fix the code-host or workspace document, or the App’s permissions.',
  },
  CODE_HOST_UNAVAILABLE: {
    code: 'UNAVAILABLE',
    summary: 'The code host does not respond, or asks to wait.',
    remedy: 'Try again later.',
  },
  WEBHOOK_REFUSED: {
    code: 'UNAUTHENTICATED',
    summary: 'The webhook has no valid signature, or the code host does not exist or has no webhook secret.',
    remedy: 'Compare the URL and the secret on the code host with the code-host resource.',
  },
  REVIEW_THREAD_NOT_FOUND: {
    code: 'NOT_FOUND',
    summary: 'This agent was not given this thread of a pull request.',
    remedy: 'Use the thread exactly as it was given, such as shop-12-3f9a1c07/c81.',
  },
  DIFF_NOT_FOUND: {
    code: 'NOT_FOUND',
    summary: 'The agent does not have this diff, or a newer push has replaced it.',
    remedy: 'List the diffs of the agent and read one of them.',
  },
} as const satisfies Record<string, ReasonEntry>

export type Reason = keyof typeof REASONS
