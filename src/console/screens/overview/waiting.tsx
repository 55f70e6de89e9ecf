/** Waiting work, and the age of backups and verifications. */
import { formatCount, formatMoney } from '../../parts/format.ts'
import { Figure, Figures } from '../../parts/page.tsx'
import { Time } from '../../parts/values.tsx'
import { may, type Permission } from '../../session.ts'
import type { LiveFigures } from './live.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** As the alert rules of docs/observability.md. */
const LATE_BACKUP_MS = 26 * 3_600_000
const LATE_VERIFICATION_MS = 8 * DAY_MS

const isOlder = (instant: string | null, ms: number) =>
  instant !== null && Date.now() - Date.parse(instant) > ms
const linkTo = (permission: Permission, address: string) => (may(permission) ? address : undefined)
const Since = ({ at }: { at: string | null }) =>
  at === null ? null : (
    <>
      oldest <Time at={at} relative />
    </>
  )

export function Waiting({
  of: { webhooks, events, refundsDue, reports, backupAt, verifications },
}: {
  of: LiveFigures
}) {
  const { sums } = refundsDue
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting" class="group-title">
        Needs attention
      </h2>
      <Figures>
        <Figure
          name="Open reports"
          value={formatCount(reports.count)}
          note={<Since at={reports.since} />}
          tone={isOlder(reports.since, DAY_MS) ? 'bad' : reports.count > 0 ? 'warn' : undefined}
          to={linkTo('moderation.read', '/moderation')}
        />
        <Figure
          name="Refunds due"
          value={
            refundsDue.since === null
              ? '0'
              : (sums?.map(({ currency, amount }) => formatMoney(amount, currency)).join(', ') ?? 'Waiting')
          }
          note={<Since at={refundsDue.since} />}
          tone={isOlder(refundsDue.since, DAY_MS) ? 'bad' : refundsDue.since !== null ? 'warn' : undefined}
          to={linkTo('orders.read', '/orders?tab=refunds')}
        />
        <Figure
          name="Webhook backlog"
          value={formatCount(webhooks.count + events.count)}
          note={
            webhooks.disabled > 0 ? (
              `${formatCount(webhooks.disabled)} disabled`
            ) : (
              <Since at={webhooks.since ?? events.since} />
            )
          }
          tone={
            isOlder(webhooks.since ?? events.since, 5 * MINUTE_MS) || webhooks.disabled > 0
              ? 'warn'
              : undefined
          }
          to={linkTo('webhooks.read', '/webhooks')}
        />
        <Ran name="Last backup" at={backupAt} lateMs={LATE_BACKUP_MS} />
        {verifications.map(({ command, finishedAt }) => (
          <Ran key={command} name={NAMES[command] ?? command} at={finishedAt} lateMs={LATE_VERIFICATION_MS} />
        ))}
      </Figures>
    </section>
  )
}

const NAMES: Record<string, string> = {
  'verify-ledger': 'Ledger verified',
  'verify-quests': 'Quests verified',
}

const Ran = ({ name, at, lateMs }: { name: string; at: string | null; lateMs: number }) => (
  <Figure
    name={name}
    value={at === null ? 'Never' : <Time at={at} relative />}
    tone={at === null || isOlder(at, lateMs) ? 'warn' : undefined}
    to={linkTo('jobs.read', '/jobs')}
  />
)
