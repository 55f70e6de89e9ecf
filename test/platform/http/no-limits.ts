import type { RateLimits } from '../../../src/platform/config/limits.ts'

/** 0 is without a limit. */
export const NO_LIMITS: RateLimits = {
  address: 0,
  tokensPerAddress: 0,
  caller: 0,
  tokens: 0,
  claims: 0,
  purchases: 0,
  uploads: 0,
  relations: 0,
  trades: 0,
  wallets: 0,
  reports: 0,
  source: 0,
  redemptions: 0,
  codes: 0,
  codesPerAddress: 0,
  withdrawals: 0,
  withdrawalsPerAddress: 0,
  notices: 0,
  noticesPerAddress: 0,
}
