/** For servers that get more requests than any caller should send, on a machine busier than any server should be. */
export const NO_LIMITS = {
  SKEIN_ADDRESS_REQUESTS_PER_MINUTE: '0',
  SKEIN_CALLER_REQUESTS_PER_MINUTE: '0',
  SKEIN_SIGN_INS_PER_MINUTE: '0',
  SKEIN_CALLER_STREAMS: '0',
  SKEIN_TENANT_STREAMS: '0',
  SKEIN_MAX_EVENT_LOOP_DELAY_MS: '0',
}
