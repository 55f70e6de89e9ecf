/** Dependencies of the console: the part of the application's dependencies that its areas use. Areas add what they need. */
import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import type { PictureDeps } from '../../club/pictures/upload.ts'
import type { Encryption } from '../../core/encryption.ts'
import type { Cursors } from '../../core/pagination.ts'
import type { AppSources } from '../../core/sources.ts'
import type { GuardedFetch } from '../../core/ssrf-guard.ts'
import type { TaskLog } from '../../core/task-log.ts'
import type { Tracer } from '../../core/tracer.ts'
import type { WebhookSecrets } from '../../delivery/webhooks/secrets.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Fetch } from '../../platform/identity-provider/fetch-json.ts'
import type { CheckInCodes } from '../../play/check-ins/code.ts'
import type { Payments } from '../../play/purchases/gateways/create.ts'
import type { CodeSource } from '../../play/rewards/redemptions.ts'
import type { Jobs } from '../admin/jobs/kinds.ts'

export interface ConsoleDeps extends AppSources, PictureDeps {
  config: Config
  db: Database
  log: Logger
  cursors: Cursors
  /** Codes for the gate display. */
  checkInCodes: CheckInCodes
  /** Sources of codes for the desk: rewards and vouchers. */
  codeSources: readonly CodeSource[]
  payments: Payments
  /** Encrypts addresses in the database. */
  addressEncryption: Encryption
  /** Encrypts the cookies of sign-ins that have begun. */
  signInEncryption: Encryption
  lifecycle: { stopping: boolean }
  /** The `fetch` for the provider of the staff. In production, the default refuses internal addresses. */
  staffFetch?: Fetch
  webhookSecrets: WebhookSecrets
  webhookFetch: GuardedFetch
  jobs: Jobs
  /** Like `RequestObserver`, for responses of the console. */
  observers: { consoleRequest?: (operation: string | undefined, status: number, ms: number) => void }
  tracer?: Tracer | undefined
  tasks: TaskLog
}
