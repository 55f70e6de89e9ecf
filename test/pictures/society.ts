/** Data for the pictures of social screens: cards, lockers and offers of the visitor and of two other fans. */
import { type Client, createClient, unwrap } from '@matchday/client'

/** Of packs: five cards each. */
const PACK = 'derby-day'
const POINTS = 1_300

interface Member {
  api: Client['api']
  handle: string
  items: { collectibleId: string; serialNumber: number }[]
}

export interface Society {
  /** Handle of a fan with a locker that the visitor follows. */
  other: string
  /** Id of an offer that waits for the visitor. */
  tradeId: string
  /** Address of a traded card. */
  card: string
}

/** `fans`: names of fans with points. The visitor is the first of them on the provider's page. */
export async function addSociety(
  origin: string,
  provider: string,
  fans: string[],
  serverKey: string,
): Promise<Society> {
  const { users } = (await (await fetch(`${provider}/_mock/users`)).json()) as {
    users: { sub: string; name: string }[]
  }
  const club = createClient({ origin, token: serverKey }).api
  const join = async ({ sub }: { sub: string }, packs: number): Promise<Member> => {
    const body = JSON.stringify({ sub })
    const headers = { 'content-type': 'application/json' }
    const issued = await fetch(`${provider}/_mock/tokens`, { method: 'POST', headers, body })
    const { access_token: token } = (await issued.json()) as { access_token: string }
    const { api } = createClient({ origin, token })
    const { id, handle } = await unwrap(api.readProfile())
    await unwrap(club.grantPoints({ fan: { userId: id }, delta: POINTS, ref: `pictures ${id}` }))
    for (let nth = 0; nth < packs; nth++) {
      const purchase = await unwrap(api.startPurchase({ packId: PACK }))
      const { userPack } = await unwrap(api.completePurchase({ purchaseId: purchase.id }))
      await unwrap(api.openPack({ userPackId: userPack?.id ?? '' }))
    }
    const collection = await unwrap(api.readCollection({ limit: 100 }))
    const copies = collection.items.map(card =>
      card.serialNumbers.map(serialNumber => ({ collectibleId: card.id, serialNumber })),
    )
    // The first copy of each card, then the others.
    const items = [...copies.flatMap(([first]) => first ?? []), ...copies.flatMap(([, ...others]) => others)]
    return { api, handle: handle ?? '', items }
  }
  const [first, second, third] = users.filter(({ name }) => fans.includes(name))
  if (!first || !second || !third) throw new Error('the provider lists too few fans who have points')
  const [visitor, giver, asker] = [await join(first, 3), await join(second, 3), await join(third, 2)]

  const arrange = (
    { api, items }: Member,
    title: string,
    theme: 'night' | 'pitch',
    titles: [string, string],
  ) =>
    unwrap(
      api.writeLocker({
        ...{ title, theme },
        shelves: titles.map((name, nth) => ({ title: name, items: items.slice(4 * nth, 4 * nth + 4) })),
      }),
    )
  await arrange(visitor, 'Nights at the harbour', 'night', ['Never forget', 'To trade'])
  await arrange(giver, 'From the north stand', 'pitch', ['The best of the derby', 'My first season'])
  for (const { handle } of [giver, asker]) await unwrap(visitor.api.followFan({ handle }))

  const [[gift, ...given], [lost, ...wanted]] = [giver.items.toReversed(), visitor.items.toReversed()]
  if (!gift || !lost || !given[0] || !given[1] || !wanted[0] || !asker.items[0])
    throw new Error('too few cards')
  const received = await unwrap(giver.api.offerTrade({ to: visitor.handle, give: [gift], want: [lost] }))
  await unwrap(visitor.api.acceptTrade({ tradeId: received.id, version: received.version }))
  await unwrap(visitor.api.offerTrade({ to: asker.handle, give: [wanted[0]], want: [asker.items[0]] }))
  const offer = { to: visitor.handle, give: given.slice(0, 2), want: wanted.slice(1, 2) }
  const { id: tradeId } = await unwrap(giver.api.offerTrade(offer))
  return { other: giver.handle, tradeId, card: `/cards/${gift.collectibleId}/${gift.serialNumber}` }
}
