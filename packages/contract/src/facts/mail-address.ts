/** No quotes, comments or routes: only what mail servers agree on. */
export const MAIL_ADDRESS_PATTERN =
  '^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?[.])+[A-Za-z]{2,63}$'
export const MAX_MAIL_ADDRESS_LENGTH = 254
