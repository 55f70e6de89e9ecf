/** Sanctions of the fan that are in force, shown on every screen. */
import { readSanctions, type Sanction } from '../api.ts'
import { formatMoment, text } from '../lang/lang.ts'
import { useLoaded } from '../load.tsx'
import { addressOf, Link } from '../router.tsx'
import { Icon } from './icon.tsx'

export function Standing() {
  const { data } = useLoaded('standing', readSanctions)
  const inForce = data?.sanctions.filter(sanction => sanction.inForce) ?? []
  return (
    <div role="status">
      {inForce.map(sanction => (
        <p key={sanction.id} class="notice">
          <Icon name="lock" />
          <span class="grow">
            {wordsOf(sanction)}
            <Statement sanction={sanction} />
          </span>
          <Link to={addressOf('account', 'sanctions')} class="button small">
            {sanction.appealable ? text.standing.appeal : text.standing.details}
          </Link>
        </p>
      ))}
    </div>
  )
}

/** The facts that the club states, and whether software found them. */
export const Statement = ({ sanction: { statement } }: { sanction: Sanction }) => (
  <>
    {statement?.facts && <bdi class="statement">{text.standing.facts(statement.facts)}</bdi>}
    {statement?.automated && <span class="statement">{text.standing.automated}</span>}
  </>
)

/** Of a sanction that is in force. */
export function wordsOf({ kind, until, reason }: Sanction): string {
  const why = text.reasons[reason] ?? reason
  if (kind === 'suspend' && until !== null) return text.standing.suspended(formatMoment(until), why)
  return kind === 'mute' ? text.standing.muted(why) : text.standing.hidden(why)
}
