/** Copies of cards, as lockers and trades name them. */
import type { Data } from '@matchday/client'

export type Item = Data<'readTrade'>['give'][number]
export type ItemReference = Pick<Item, 'collectibleId' | 'serialNumber'>

/** Different for each copy, and an id of HTML. */
export const keyOf = ({ collectibleId, serialNumber }: ItemReference) => `${collectibleId}:${serialNumber}`

export const referenceOf = ({ collectibleId, serialNumber }: Item): ItemReference => ({
  collectibleId,
  serialNumber,
})
