/** What the file of a ticket office can have, and how its dates can be written. */

export const MEMBERSHIP_COLUMNS = [
  ...(['ref', 'kind', 'number', 'holder', 'email'] as const),
  ...(['provider', 'subject', 'startsAt', 'endsAt'] as const),
] as const

/** For dates with two meanings. */
export const DATE_ORDERS = ['dmy', 'mdy'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]
