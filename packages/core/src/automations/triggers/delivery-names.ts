import { MAX_NAME_LENGTH } from '@skein/contract/facts'

/** A name made from any text: `Fix: the Cart` becomes `fix-the-cart`. Empty if nothing remains. */
export function toSlug(text: string): string {
  return text
    .slice(0, 4 * MAX_NAME_LENGTH)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll(/^-+|-+$/g, '')
}

/** Of an agent whose trigger has no template for it: the trigger's name and the delivery's id. */
export function defaultAgentName(trigger: string, deliveryId: string): string {
  const id = deliveryId.replaceAll('-', '')
  const prefix = trigger.slice(0, MAX_NAME_LENGTH - id.length - 1).replace(/-+$/, '')
  return `${prefix}-${id}`
}

/** The same for all tries of a delivery, so that a message is accepted once. */
export function deliveryFollowUpId(trigger: string, deliveryId: string): string {
  return `trigger:${trigger}:${deliveryId}`
}
