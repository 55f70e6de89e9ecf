/** How a fan was found, the most specific first. */
export const MATCHES = [
  ...(['user_id', 'subject', 'redemption_code', 'voucher_code', 'order', 'trade', 'pack', 'top_up'] as const),
  ...(['payment', 'email', 'handle', 'name', 'provider_name'] as const),
] as const
export type MatchedBy = (typeof MATCHES)[number]
