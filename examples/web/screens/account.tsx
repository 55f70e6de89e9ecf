/** Every entry of an account, with what it was booked for. */
import { type AccountEntry, readAccountEntries } from '../api.ts'
import { formatMoment, formatSigned, text } from '../lang/lang.ts'
import { Loading, useLoaded } from '../load.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { MoreButton, useMore } from '../parts/more.tsx'
import { addressOf } from '../router.tsx'

export function Account({ id }: { id: string }) {
  const loaded = useLoaded(`account ${id}`, () => readAccountEntries(id))
  const more = useMore(
    loaded,
    cursor => readAccountEntries(id, cursor),
    (page, next) => ({ ...next, entries: [...page.entries, ...next.entries] }),
  )
  return (
    <Screen title={text.membership.entries} lead={text.membership.entriesLead} up={addressOf('membership')}>
      <Loading of={loaded}>
        {({ entries, nextCursor }) => (
          <>
            {entries.length === 0 ? (
              <Empty>{text.membership.noEntries}</Empty>
            ) : (
              <ul class="list">
                {entries.map(entry => (
                  <Entry key={entry.id} entry={entry} />
                ))}
              </ul>
            )}
            <MoreButton more={more} cursor={nextCursor} />
          </>
        )}
      </Loading>
    </Screen>
  )
}

type Row = Pick<AccountEntry, 'delta' | 'reason' | 'season' | 'countedAt' | 'explanation'>

export function Entry({ entry: { delta, reason, season, countedAt, explanation } }: { entry: Row }) {
  const words = text.points.reasons[reason] ?? text.membership.other
  return (
    <li class="row">
      <span class={delta < 0 ? 'sign minus' : 'sign plus'} aria-hidden="true">
        {delta < 0 ? '−' : '+'}
      </span>
      <span class="grow">
        <span class="line">
          {explanation.name === null ? words : text.points.of(words, explanation.name)}
        </span>
        <small class="quiet">
          {formatMoment(countedAt)}
          {season !== null && (
            <>
              {' · '}
              <bdi>{season}</bdi>
            </>
          )}
        </small>
      </span>
      <strong class={delta < 0 ? 'amount' : 'amount gain'}>{formatSigned(delta)}</strong>
    </li>
  )
}
