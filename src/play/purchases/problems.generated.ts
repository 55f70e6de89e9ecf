/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { purchaseProblems } from './problems.ts'

export const thrownBy = {
  setLimits: [transportProblems.guardian_consent_required],
  issueSandboxReceipt: [purchaseProblems.purchase_not_found],
  receiveStripeEvent: [transportProblems.invalid_signature, purchaseProblems.payment_gateway_unavailable],
  receiveAppStoreNotification: [
    transportProblems.invalid_signature,
    purchaseProblems.payment_gateway_unavailable,
  ],
  receiveGooglePlayNotification: [
    transportProblems.invalid_signature,
    purchaseProblems.payment_gateway_unavailable,
  ],
} as const
