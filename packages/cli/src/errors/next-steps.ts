/** Next steps for the command line. The API's remedies refer to requests and headers. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  REQUEST_INVALID: 'Fix the values above and try again.',
  JSON_INVALID: 'Remove NUL characters and broken Unicode from the text and try again.',
  HTTP_INVALID: 'A proxy may have changed the request. Check the URL with: skein whoami',
  HEADERS_TOO_LARGE: 'Shorten --justification and try again.',
  REQUEST_TIMEOUT: 'The connection is too slow or was cut. Try again.',
  MEDIA_TYPE_UNSUPPORTED: 'A proxy may have changed the request. Check the URL with: skein whoami',
  BODY_TOO_LARGE: 'Shorten the text: the limit is 1 MiB, or 4 MiB for a resource.',
  PATH_UNKNOWN:
    'The server may be older than this command, or the URL may be wrong. Check with: skein whoami',
  METHOD_NOT_ALLOWED:
    'The server may be older than this command, or the URL may be wrong. Check with: skein whoami',
  OPERATION_NOT_SERVED: 'The server does not support this yet. Upgrade it.',
  IDEMPOTENCY_KEY_INVALID: 'Run the command again.',
  IDEMPOTENCY_KEY_REUSED: 'Run the command again.',
  CREDENTIAL_MISSING: 'Sign in with: skein login',
  CREDENTIAL_INVALID: 'Sign in again with: skein login. An admin creates a new key with: skein token create',
  PERMISSION_MISSING: 'Your key does not permit this. See its role with: skein whoami',
  CROSS_SITE_REQUEST: 'Sign in with an API key: skein login',
  JUSTIFICATION_REQUIRED: 'Give a reason with --justification.',
  RATE_LIMITED: 'Too many requests. Wait a minute and try again.',
  SERVER_OVERLOADED: 'The server is busy. Try again in a minute.',
  SERVER_STOPPING: 'The server is restarting. Try again in a minute.',
  TREE_BUSY: 'Many changes to this agent are in progress. Try again in a few seconds.',
  DATABASE_BUSY: 'The server is busy. Try again in a few seconds.',
  DATABASE_UNAVAILABLE: 'The server cannot reach its database. Diagnose it with: skein doctor',
  INTERNAL_ERROR: 'Try again. If it happens again, report it with the request id.',
  KIND_UNKNOWN: 'List the kinds with: skein get',
  RESOURCE_NOT_FOUND: 'List what exists with: skein get <kind>',
  GENERATION_MISMATCH: 'Someone else changed it. See the current version with skein get, then try again.',
  DOCUMENT_INVALID: 'Fix the fields above and try again. `skein get <kind> <name>` shows a valid one.',
  UPDATE_MASK_INVALID: 'Fix the field names above and try again.',
  BUILT_IN_NOT_DELETABLE: 'Replace it instead: apply a resource with the same name.',
  PAGE_TOKEN_INVALID: 'Run the command again.',
  AGENT_NOT_FOUND: 'List your agents with: skein ps --all',
  AGENT_NOT_RUNNING: 'It has ended. Continue it with: skein send --continue <agent> <message>',
  AGENT_ALREADY_EXISTS: 'Write to it with skein send, end it with skein kill, or choose another --name.',
  PARENT_NOT_LIVE: 'The parent has ended or does not exist. List your agents with: skein ps --all',
  BUDGET_USED_UP: 'Raise the budget above it with skein budget, then spawn it again.',
  RUN_NOT_CURRENT: 'No run is in progress. Check with: skein status <agent>',
  BUILD_LACKS_DEFERRAL: 'Send it without --at and --in, or upgrade the runners.',
  MODEL_SETTINGS_INVALID: 'Fix the value above. What a backend allows: skein get backend <name>',
  TASK_BLOCKED: 'First complete or delete the tasks that block it.',
  TASK_NOT_FOUND: 'Show the checklist with: skein tasks <agent>',
  TASK_TRANSITION_INVALID: 'A deleted task stays deleted. Add a new one with: skein tasks <agent> --add "…"',
  QUOTA_EXCEEDED: 'Wait until agents or runs end, or raise the limit with: skein edit quota default',
  SESSION_NOT_FOUND: 'List the sessions with: skein sessions',
}

/** Empty if only the API's remedy is available. */
export function nextStepOf(reason: string): string {
  return NEXT_STEPS[reason] ?? ''
}
