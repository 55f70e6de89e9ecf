/** Member cards, which are there without a network, and the accounts of the fan: total, tier, and what is missing to the next one. */
import { type Account, type Bands, readMembership } from '../api.ts'
import { formatDay, formatInteger, text } from '../lang/lang.ts'
import { Bones, useLoaded } from '../load.tsx'
import { AsOf } from '../parts/as-of.tsx'
import { BandCurve } from '../parts/band-curve.tsx'
import { Empty, Progress, Screen, Section } from '../parts/layout.tsx'
import { MemberCards } from '../parts/member-cards.tsx'
import { Notice } from '../parts/notice.tsx'
import { findCards } from '../passes.ts'
import { addressOf, Link } from '../router.tsx'

export function Membership() {
  const { data, asOf, error, reload } = useLoaded('membership', readMembership)
  const kept = findCards()
  const accounts = data?.accounts ?? []
  const isEmpty = !kept && accounts.length === 0
  return (
    <Screen title={text.nav.membership} lead={text.membership.lead}>
      {error !== null && <Notice error={error} onRetry={reload} />}
      {kept && <MemberCards kept={kept} />}
      {isEmpty && data === null && error === null && <Bones kind="card" count={1} />}
      {isEmpty && data !== null && <Empty>{text.membership.empty}</Empty>}
      {isEmpty && data === null && error !== null && <Empty>{text.membership.noneKept}</Empty>}
      {error !== null && accounts.length > 0 && asOf !== null && <AsOf instant={asOf} />}
      {accounts.map(({ account, bands }) => (
        <Status key={account.id} account={account} bands={bands} />
      ))}
    </Screen>
  )
}

export function Status({ account, bands }: { account: Account; bands: Bands | null }) {
  const { id, name, unit, total, tier, next } = account
  return (
    <Section title={name} more={addressOf('membership', id)}>
      <div class="panel status">
        <p class="status-total">
          <strong>{formatInteger(total)}</strong> <span class="quiet">{unit}</span>
          {tier && <span class="tier">{tier.name}</span>}
        </p>
        {tier && tier.benefits.length > 0 && (
          <ul class="benefits" aria-label={text.membership.benefits}>
            {tier.benefits.map(benefit => (
              <li key={benefit}>{benefit}</li>
            ))}
          </ul>
        )}
        {tier?.until && <p class="quiet">{text.membership.until(tier.name, formatDay(tier.until))}</p>}
        {next && (
          <>
            <Progress
              label={text.membership.toNext(next.tier.name)}
              value={total}
              max={total + next.missing}
            />
            <p>{text.membership.missing(formatInteger(next.missing), unit, next.tier.name)}</p>
          </>
        )}
        {bands && bands.bands.length > 0 && <BandCurve bands={bands} total={total} unit={unit} />}
        <p>
          <Link to={addressOf('membership', id)}>{text.membership.why}</Link>
        </p>
      </div>
    </Section>
  )
}
