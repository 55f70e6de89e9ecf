/** What can be bought. */
export const PURCHASE_KINDS = ['pack', 'order', 'top_up'] as const
export type PurchaseKindName = (typeof PURCHASE_KINDS)[number]
