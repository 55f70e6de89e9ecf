/** Reasons of entries of cash. Reason and `ref` identify a cause, which is booked once. */
export const CASH_REASONS = [
  'top_up',
  'top_up_refund',
  'promotion',
  'promotion_ended',
  'payment',
  'refund',
  'merge',
  'merged',
] as const
export type CashReason = (typeof CASH_REASONS)[number]
