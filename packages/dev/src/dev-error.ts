/** Something the user can fix. The message is complete, so no stack is shown. */
export class DevError extends Error {
  override readonly name = 'DevError'
}
