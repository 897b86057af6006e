/** Control characters and marks that reorder text: what one reads would not be what is there. */
const HIDDEN = /(?!\t)\p{Cc}|\p{Bidi_Control}/gu

/** Shows them by their number, such as ⟨202E⟩. */
export function showHidden(text: string): string {
  return text.replaceAll(
    HIDDEN,
    (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}
