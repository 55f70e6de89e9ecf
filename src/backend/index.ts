/** For the club's own backend: verifies what Matchday sends, and the tokens that apps send. */
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
