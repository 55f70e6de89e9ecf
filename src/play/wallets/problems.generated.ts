/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { walletProblems } from './problems.ts'

export const thrownBy = {
  issueWalletChallenge: [walletProblems.too_many_challenges],
  linkWallet: [
    walletProblems.challenge_expired,
    walletProblems.invalid_wallet_signature,
    walletProblems.chain_unavailable,
    walletProblems.wallet_linked_elsewhere,
    walletProblems.too_many_wallets,
  ],
} as const
