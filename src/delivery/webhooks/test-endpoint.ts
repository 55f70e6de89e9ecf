/** Sends a test message to an endpoint at once. It is not an event, and nothing is stored. */
import type { AppSources } from '../../core/sources.ts'
import type { GuardedFetch } from '../../core/ssrf-guard.ts'
import { testMessage } from './deliveries.ts'
import { exampleMessage } from './describe.ts'
import { type Endpoint, signingSecrets } from './endpoints.ts'
import type { WebhookSecrets } from './secrets.ts'
import { ATTEMPT_MS, type AttemptResult, sendMessage } from './send.ts'

interface Testing {
  now: AppSources['now']
  newId: AppSources['newId']
  webhookSecrets: WebhookSecrets
  webhookFetch: GuardedFetch
}

export type TestResult = AttemptResult | { fault: 'secret_unreadable' }

/** `type`: sends the example of this type, as the API's document shows it. */
export async function testEndpoint(
  { now, newId, webhookSecrets, webhookFetch }: Testing,
  endpoint: Endpoint,
  type: string | undefined,
): Promise<TestResult> {
  const at = now()
  const secrets = signingSecrets(endpoint, webhookSecrets, at)
  if (secrets.length === 0) return { fault: 'secret_unreadable' }
  const example = type === undefined ? undefined : exampleMessage(type)
  const message = { url: endpoint.url, secrets, at, ...testMessage(newId(), at, example) }
  const stop = new AbortController().signal
  const result = await sendMessage({ fetch: webhookFetch, deadlineMs: ATTEMPT_MS, stop }, message)
  // Guarantee: only `stop` makes it null.
  return result ?? { status: null, response: '' }
}
