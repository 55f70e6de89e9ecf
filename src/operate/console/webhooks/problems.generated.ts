/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../../core/transport-problems.ts'
import { jobProblems } from '../jobs/problems.ts'
import { webhookProblems } from './problems.ts'

export const thrownBy = {
  resendWebhookDelivery: [webhookProblems.webhook_delivery_not_found],
  setWebhookTypes: [webhookProblems.webhook_endpoint_not_found],
  rotateWebhookSecret: [webhookProblems.webhook_endpoint_not_found],
  disableWebhookEndpoint: [webhookProblems.webhook_endpoint_not_found],
  enableWebhookEndpoint: [webhookProblems.webhook_endpoint_not_found],
  removeWebhookEndpoint: [webhookProblems.webhook_endpoint_not_found],
  replayWebhooks: [webhookProblems.webhook_endpoint_not_found, jobProblems.job_running],
  listWebhookDeliveries: [transportProblems.invalid_cursor],
  readWebhookDelivery: [webhookProblems.webhook_delivery_not_found],
  testWebhookEndpoint: [
    webhookProblems.webhook_endpoint_not_found,
    webhookProblems.webhook_secret_unreadable,
  ],
  countWebhookReplay: [webhookProblems.webhook_endpoint_not_found],
} as const
