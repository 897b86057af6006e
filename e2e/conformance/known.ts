/** Rows that do not hold yet. The run fails when one that is not here breaks, and when one that is here holds. */
export const KNOWN_TO_FAIL: ReadonlySet<string> = new Set([
  'deferral limits: deliverAt now is INVALID_ARGUMENT: strictly in the future',
  'body sizes: the 413 reaches a client that is still sending (8 MB, 12 times, by fetch)',
  'requests: null is absent (proto3 JSON): {"account": null} lists the caller’s own',
  'requests: an operation whose fields are all optional takes an empty body',
  'requests: a ref that repeats kind and name of the path is accepted (ref is the resource reference)',
  'requests: a time in a document, sent with an offset, is answered in UTC with milliseconds',
  'list: a parentId without a workspace is INVALID_ARGUMENT, and the violation names parentId.workspace',
  'dashboard: dashboardUrl is there for any client (Accept: */*, as curl and link checkers send)',
])
