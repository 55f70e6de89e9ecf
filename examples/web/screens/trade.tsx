/** One trade: its items, and buttons to answer it. */
import { useEffect, useState } from 'preact/hooks'
import {
  acceptTrade,
  cancelTrade,
  declineTrade,
  followEvents,
  hasCode,
  type Item,
  readProfile,
  readTrade,
  type Trade as TradeData,
} from '../api.ts'
import { keyOf } from '../items.ts'
import { formatHandle, formatLeft, text } from '../lang/lang.ts'
import { Loading, useLoaded, useReloadAt, useWrite, type Write } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Icon } from '../parts/icon.tsx'
import { ItemCards } from '../parts/item-cards.tsx'
import { NotFound, Screen, Section } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { Report } from '../parts/report.tsx'
import { addressOf, Link } from '../router.tsx'
import { type Sides, sidesOf } from '../trade-sides.ts'

async function loadTrade(id: string) {
  const [trade, profile] = await Promise.all([readTrade(id), readProfile()])
  return { trade, own: profile?.handle ?? null }
}

export function Trade({ id }: { id: string }) {
  const loaded = useLoaded(`trade ${id}`, () => loadTrade(id))
  useEffect(() => followEvents(() => void loaded.reload()), [loaded.reload])
  if (hasCode(loaded.error, 'trade_not_found')) return <NotFound />
  const set = (trade: TradeData) => loaded.data && loaded.set({ ...loaded.data, trade })
  return (
    <Screen title={text.trades.one} up={addressOf('trades')} bare>
      <Loading of={loaded}>
        {({ trade, own }) => (
          <Review trade={trade} sides={sidesOf(trade, own)} set={set} reload={loaded.reload} />
        )}
      </Loading>
    </Screen>
  )
}

interface ReviewProps {
  trade: TradeData
  sides: Sides
  set: (trade: TradeData) => void
  reload: () => Promise<void>
}

function Review({ trade, sides, set, reload }: ReviewProps) {
  const { isIncoming, other, get, lose } = sides
  useReloadAt([trade.expiresAt], reload)
  const answer = useWrite(async (given: Answer, key) => {
    try {
      set(await send[given.verb](trade.id, given.version, key))
    } catch (error) {
      // The shown trade is outdated.
      if (hasCode(error, 'trade_changed', 'trade_not_open', 'item_not_owned')) await reload()
      throw error
    }
  })
  const name = other === null ? text.leaderboard.unnamed : formatHandle(other)
  const title = isIncoming ? text.trades.from(name) : text.trades.to(name)
  return (
    <>
      <div class="screen-head with-link">
        <h1>{other === null ? title : <Link to={addressOf('fans', other)}>{title}</Link>}</h1>
        <p class="quiet" role="status">
          {trade.status === 'open'
            ? text.trades.expires(formatLeft(trade.expiresAt))
            : text.trades.about[trade.status]}
        </p>
      </div>
      <div class="deal">
        <Side title={text.trades.youGet} items={get} none={text.trades.getNothing} />
        <Icon name="trades" />
        <Side title={text.trades.youGive} items={lose} none={text.trades.giveNothing} />
      </div>
      {answer.error !== null && <Notice error={answer.error} />}
      {trade.status === 'open' && <Answers version={trade.version} sides={sides} answer={answer} />}
      {trade.status === 'completed' && (
        <p class="actions">
          <Link to={addressOf('collection')} class="button plain">
            {text.packs.toCollection}
          </Link>
        </p>
      )}
      {isIncoming && other !== null && <Report subject={{ kind: 'trade', id: trade.id }} />}
    </>
  )
}

const Side = ({ title, items, none }: { title: string; items: Item[]; none: string }) => (
  <Section title={title}>
    {items.length === 0 ? <p class="panel quiet">{none}</p> : <ItemCards items={items} />}
  </Section>
)

/** `version`: the version of the offer that the fan has seen. Another one is refused. */
interface Answer {
  verb: 'accept' | 'decline' | 'cancel'
  version: number
}

const send = {
  accept: acceptTrade,
  decline: (id: string, _: number, key: string) => declineTrade(id, key),
  cancel: (id: string, _: number, key: string) => cancelTrade(id, key),
}

interface AnswersProps {
  version: number
  sides: Sides
  answer: Write<Answer>
}

function Answers({ version, sides: { isIncoming, get, lose }, answer }: AnswersProps) {
  const [asked, setAsked] = useState(false)
  const accept = async () => {
    await answer.run({ verb: 'accept', version })
    setAsked(false)
  }
  return (
    <>
      <div class="actions">
        {isIncoming && <Button onClick={() => setAsked(true)}>{text.trades.accept}</Button>}
        <Button
          kind="danger"
          busy={answer.isBusy && !asked}
          onClick={() => answer.run({ verb: isIncoming ? 'decline' : 'cancel', version })}
        >
          {isIncoming ? text.trades.decline : text.trades.cancel}
        </Button>
      </div>
      {asked && (
        <Confirm
          title={text.trades.confirm}
          action={text.trades.accept}
          busy={answer.isBusy}
          onConfirm={accept}
          onCancel={() => setAsked(false)}
        >
          <ul class="in-words">
            {get.map(item => (
              <li key={keyOf(item)}>{text.trades.getItem(item.name, item.serialNumber)}</li>
            ))}
            {lose.map(item => (
              <li key={keyOf(item)}>{text.trades.giveItem(item.name, item.serialNumber)}</li>
            ))}
          </ul>
          <p class="quiet">{text.trades.confirmLead}</p>
        </Confirm>
      )}
    </>
  )
}
