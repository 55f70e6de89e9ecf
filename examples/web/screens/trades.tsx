/** Received offers that wait for an answer, sent offers, and the results of earlier ones, updated live. */
import { useEffect } from 'preact/hooks'
import { followEvents, readProfile, readTrades, type Trade } from '../api.ts'
import { keyOf } from '../items.ts'
import { formatHandle, formatLeft, formatMoment, text } from '../lang/lang.ts'
import { Loading, useLoaded, useReloadAt } from '../load.tsx'
import { CardsNav } from '../parts/cards-nav.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Screen, Section } from '../parts/layout.tsx'
import { MoreButton, useMore } from '../parts/more.tsx'
import { Picture } from '../parts/picture.tsx'
import { addressOf, Link } from '../router.tsx'
import { sidesOf } from '../trade-sides.ts'

/** Maximum pictures in a row. */
const PICTURES = 3

async function loadTrades() {
  const [page, profile] = await Promise.all([readTrades(), readProfile()])
  return { ...page, own: profile?.handle ?? null }
}

export function Trades() {
  const loaded = useLoaded('trades', loadTrades)
  useEffect(() => followEvents(() => void loaded.reload()), [loaded.reload])
  const open = loaded.data?.trades.filter(({ status }) => status === 'open') ?? []
  useReloadAt(
    open.map(({ expiresAt }) => expiresAt),
    loaded.reload,
  )
  const more = useMore(loaded, readTrades, (page, next) => ({
    ...page,
    ...next,
    trades: [...page.trades, ...next.trades],
  }))
  return (
    <Screen title={text.nav.trades} lead={text.trades.lead}>
      <CardsNav current="trades" />
      <Loading of={loaded}>
        {({ trades, own, nextCursor }) => {
          if (trades.length === 0)
            return (
              <Empty
                action={
                  <Link to={addressOf('leaderboard')} class="button main">
                    {text.feed.toLeaderboard}
                  </Link>
                }
              >
                {text.trades.empty}
              </Empty>
            )
          const groups = Map.groupBy(trades, trade =>
            trade.status !== 'open' ? 'ended' : sidesOf(trade, own).isIncoming ? 'incoming' : 'outgoing',
          )
          return (
            <>
              {(['incoming', 'outgoing', 'ended'] as const).map(group => {
                const shown = groups.get(group)
                return (
                  shown && (
                    <Section key={group} title={text.trades.groups[group]}>
                      <ul class="list board">
                        {shown.map(trade => (
                          <Row key={trade.id} trade={trade} own={own} />
                        ))}
                      </ul>
                    </Section>
                  )
                )
              })}
              <MoreButton more={more} cursor={nextCursor} />
            </>
          )
        }}
      </Loading>
    </Screen>
  )
}

function Row({ trade, own }: { trade: Trade; own: string | null }) {
  const { isIncoming, other, get, lose } = sidesOf(trade, own)
  const name = other === null ? text.leaderboard.unnamed : formatHandle(other)
  return (
    <li class="row">
      <Icon name={trade.want.length === 0 ? 'rewards' : 'trades'} />
      <span class="grow">
        <strong class="line">
          <Link to={addressOf('trades', trade.id)} class="whole-row">
            {isIncoming ? text.trades.from(name) : text.trades.to(name)}
          </Link>
        </strong>
        <span class="words">{text.trades.summary(lose.length, get.length)}</span>
        <small class="quiet">
          {trade.status === 'open'
            ? text.trades.expires(formatLeft(trade.expiresAt))
            : `${text.trades.statuses[trade.status]} · ${formatMoment(trade.endedAt ?? trade.expiresAt)}`}
        </small>
      </span>
      <span class="stack" aria-hidden="true">
        {[...get, ...lose].slice(0, PICTURES).map(item => (
          <Picture key={keyOf(item)} src={item.imageUrl} class="thumb" />
        ))}
      </span>
    </li>
  )
}
