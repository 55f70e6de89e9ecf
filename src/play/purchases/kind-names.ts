/** The names of all kinds of purchases. */
export const PURCHASE_KINDS = ['pack', 'order', 'top_up'] as const
export type PurchaseKindName = (typeof PURCHASE_KINDS)[number]
