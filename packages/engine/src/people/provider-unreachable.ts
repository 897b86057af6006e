/** A provider that does not answer, or not as one does. A TypeError, because the library passes these on. */
export class ProviderUnreachable extends TypeError {
  override readonly name = 'ProviderUnreachable'
}
