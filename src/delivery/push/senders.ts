/** The senders of the services that are configured. */
import type { AppSources } from '../../core/sources.ts'
import type { GuardedFetch } from '../../core/ssrf-guard.ts'
import type { Config } from '../../platform/config/config.ts'
import { createApns } from './apns.ts'
import { createFcm } from './fcm.ts'
import type { Senders } from './sender.ts'
import { createWebPush } from './web-push.ts'

interface SenderDeps extends Pick<AppSources, 'now' | 'randomBytes'> {
  push: Config['push']
  fetch: GuardedFetch
}

/** `fetch`: of the addresses that browsers name, too. */
export function createSenders({ push: { vapid, fcm, apns }, ...deps }: SenderDeps): Senders {
  const toApple = apns ? createApns({ ...deps, apns }) : undefined
  return {
    ...(vapid ? { webpush: createWebPush({ ...deps, vapid }) } : {}),
    ...(fcm ? { fcm: createFcm({ ...deps, fcm }) } : {}),
    ...(toApple ? { apns: toApple, live_activity: toApple } : {}),
  }
}
