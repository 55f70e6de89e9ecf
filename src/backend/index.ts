/** For the club's own backend: verifies webhooks of Matchday, and tokens of apps. */
export { VerificationError, type VerificationErrorCode } from './verification-error.ts'
export { type TokenClaims, type TokenOptions, verifyToken } from './verify-token.ts'
export {
  type EventMessage,
  type ReportedMessage,
  type RequestHeaders,
  type TestMessage,
  verifyWebhook,
  type WebhookMessage,
  type WebhookOptions,
} from './verify-webhook.ts'
