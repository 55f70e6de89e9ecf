/** Offers a trade or a gift to another fan: items to give, and items to get from the other's locker. */
import { useState } from 'preact/hooks'
import {
  hasCode,
  type Item,
  type ItemReference,
  offerTrade,
  readFan,
  readLocker,
  readOwnItems,
  readProfile,
  readProvenance,
} from '../api.ts'
import { keyOf, referenceOf } from '../items.ts'
import { formatHandle, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { ItemPicker } from '../parts/item-picker.tsx'
import { Empty, Screen, Section } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { addressOf, Link, navigate } from '../router.tsx'

/** Maximum items of each side, as in the API. */
const MAX_ITEMS = 10

/** The items in the locker of the fan; empty if the fan shows none. */
async function readShown(handle: string): Promise<Item[]> {
  try {
    return (await readLocker(handle)).shelves.flatMap(({ items }) => items)
  } catch (error) {
    if (hasCode(error, 'locker_not_found', 'fan_not_found')) return []
    throw error
  }
}

/** `asked`: a copy that the fan wants, which may be outside the locker. */
async function loadOffer(handle: string, asked: ItemReference | null) {
  const [fan, own, mine, shown, history] = await Promise.all([
    readFan(handle),
    readProfile(),
    readOwnItems(),
    readShown(handle),
    asked && readProvenance(asked.collectibleId, asked.serialNumber),
  ])
  const isListed = asked !== null && shown.some(item => keyOf(item) === keyOf(asked))
  const theirs = history && !isListed ? [history, ...shown] : shown
  return { fan, isOwn: own?.handle === handle, mine, theirs }
}

interface OfferProps {
  handle: string
  asked: ItemReference | null
}

export function Offer({ handle, asked }: OfferProps) {
  const loaded = useLoaded(`offer ${handle} ${asked && keyOf(asked)}`, () => loadOffer(handle, asked))
  const name = loaded.data?.fan?.displayName ?? formatHandle(handle)
  return (
    <Screen title={text.trades.offerTo(name)} lead={text.trades.offerLead} up={addressOf('fans', handle)}>
      <Loading of={loaded} skeleton={<Bones />}>
        {({ fan, isOwn, mine, theirs }) => {
          if (fan === null) return <Empty>{text.problems.fan_not_found}</Empty>
          if (isOwn) return <Empty>{text.problems.cannot_trade_with_yourself}</Empty>
          return mine.length === 0 ? (
            <Empty
              action={
                <Link to={addressOf('packs')} class="button main">
                  {text.collection.toPacks}
                </Link>
              }
            >
              {text.trades.nothingToGive}
            </Empty>
          ) : (
            <Form handle={handle} asked={asked} mine={mine} theirs={theirs} />
          )
        }}
      </Loading>
    </Screen>
  )
}

interface FormProps extends OfferProps {
  mine: Item[]
  theirs: Item[]
}

function Form({ handle, asked, mine, theirs }: FormProps) {
  const [give, toggleGive] = useChoice([])
  const [want, toggleWant] = useChoice(asked ? [keyOf(asked)] : [])
  const send = useWrite(async (offer: Parameters<typeof offerTrade>[0], key) => {
    const { id } = await offerTrade(offer, key)
    navigate(addressOf('trades', id))
  })
  const chosen = (items: Item[], keys: ReadonlySet<string>) =>
    items.filter(item => keys.has(keyOf(item))).map(referenceOf)
  return (
    <>
      <div class="columns even">
        <Section title={text.trades.youWant}>
          {theirs.length === 0 ? (
            <p class="panel quiet">{text.trades.nothingShown}</p>
          ) : (
            <ItemPicker items={theirs} chosen={want} isFull={want.size >= MAX_ITEMS} onToggle={toggleWant} />
          )}
        </Section>
        <Section title={text.trades.youGive}>
          <ItemPicker items={mine} chosen={give} isFull={give.size >= MAX_ITEMS} onToggle={toggleGive} />
        </Section>
      </div>
      <div class="panel tray">
        {send.error !== null && <Notice error={send.error} />}
        <p class="grow" role="status">
          {text.trades.summary(give.size, want.size)}
        </p>
        <Button
          busy={send.isBusy}
          disabled={give.size === 0}
          onClick={() => send.run({ to: handle, give: chosen(mine, give), want: chosen(theirs, want) })}
        >
          {want.size === 0 ? text.trades.sendGift : text.trades.sendOffer}
        </Button>
      </div>
    </>
  )
}

/** Keys of items, and a function that adds or removes one. */
function useChoice(initial: string[]): [ReadonlySet<string>, (item: Item) => void] {
  const [keys, setKeys] = useState<ReadonlySet<string>>(() => new Set(initial))
  const toggle = (item: Item) => setKeys(old => old.symmetricDifference(new Set([keyOf(item)])))
  return [keys, toggle]
}
