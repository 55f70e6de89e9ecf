/** Changes by the pages: the verbs of `delivery/webhooks`, with errors as problems. */
import type { Database, Transaction } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import type { AppSources } from '../../../core/sources.ts'
import type { GuardedFetch } from '../../../core/ssrf-guard.ts'
import { refuseField } from '../../../core/transport-problems.ts'
import {
  addEndpoint,
  changeTypes,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  rotateSecret,
  urlFault,
} from '../../../delivery/webhooks/endpoints.ts'
import { resendDelivery } from '../../../delivery/webhooks/resend.ts'
import { PREVIOUS_SECRET_MS } from '../../../delivery/webhooks/schedule.ts'
import type { WebhookSecrets } from '../../../delivery/webhooks/secrets.ts'
import { isSuccess } from '../../../delivery/webhooks/send.ts'
import { testEndpoint } from '../../../delivery/webhooks/test-endpoint.ts'
import { typeFault } from '../../../delivery/webhooks/types.ts'
import { messageTypes } from '../../../economy/events/types.ts'
import { webhookProblems } from './problems.ts'
import { keyOf, requireEndpoint } from './read.ts'
import type { DeliveryParams, NewEndpoint } from './schema.ts'

export interface TestDeps extends Pick<AppSources, 'elapsed' | 'newId' | 'now'> {
  db: Database
  webhookSecrets: WebhookSecrets
  webhookFetch: GuardedFetch
}

/** @throws DomainError `validation_failed` */
function requireTypes(types: string[]): string[] {
  for (const [index, type] of types.entries()) {
    const fault = typeFault(type, messageTypes)
    if (fault !== null) refuseField({ pointer: `/types/${index}`, message: fault })
  }
  return [...new Set(types)]
}

interface Adding {
  secrets: WebhookSecrets
  production: boolean
}

/** @throws DomainError `validation_failed` */
export function addCheckedEndpoint(
  tx: Transaction,
  { secrets, production }: Adding,
  { url, types }: Pick<typeof NewEndpoint.static, 'url' | 'types'>,
) {
  const fault = urlFault(url, production)
  if (fault !== null) refuseField({ pointer: '/url', message: fault })
  return addEndpoint(tx, secrets, { url, types: requireTypes(types) })
}

export async function rotate(tx: Transaction, secrets: WebhookSecrets, id: string) {
  const secret = await rotateSecret(tx, secrets, id)
  if (secret === undefined) throw new DomainError(webhookProblems.webhook_endpoint_not_found)
  return { secret, previousSecretEndsAt: new Date(tx.now().getTime() + PREVIOUS_SECRET_MS).toISOString() }
}

export async function setTypes(tx: Transaction, id: string, types: string[]) {
  if (!(await changeTypes(tx, id, requireTypes(types))))
    throw new DomainError(webhookProblems.webhook_endpoint_not_found)
  return { changed: true }
}

export async function disable(tx: Transaction, id: string) {
  await requireEndpoint(tx, id)
  return { changed: await disableEndpoint(tx, id, 'operator') }
}

export async function enable(tx: Transaction, id: string) {
  await requireEndpoint(tx, id)
  return { changed: await enableEndpoint(tx, id) }
}

/** A sweep deletes its deliveries within minutes. */
export async function remove(tx: Transaction, id: string) {
  if (!(await deleteEndpoint(tx, id))) throw new DomainError(webhookProblems.webhook_endpoint_not_found)
  return { changed: true }
}

export async function resend(tx: Transaction, params: typeof DeliveryParams.static) {
  if (!(await resendDelivery(tx, keyOf(params))))
    throw new DomainError(webhookProblems.webhook_delivery_not_found)
  return { changed: true }
}

/** @throws DomainError `webhook_secret_unreadable`, `webhook_endpoint_not_found`, `validation_failed` */
export async function sendTest(deps: TestDeps, id: string, type: string | undefined) {
  if (type !== undefined) {
    requireExample(type)
    const fault = typeFault(type, messageTypes)
    if (fault !== null) refuseField({ pointer: '/type', message: fault })
  }
  const endpoint = await requireEndpoint(deps.db.read, id)
  const began = deps.elapsed()
  const result = await testEndpoint(deps, endpoint, type)
  if ('fault' in result) throw new DomainError(webhookProblems.webhook_secret_unreadable)
  const { status, response } = result
  return { succeeded: isSuccess(result), status, response, tookMs: Math.round(deps.elapsed() - began) }
}

function requireExample(type: string): void {
  if (type.endsWith('*')) refuseField({ pointer: '/type', message: 'must be a type, and no pattern' })
}
