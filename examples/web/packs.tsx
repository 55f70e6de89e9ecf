/** Packs: buy with points, open, and verify the draw in the browser. */
import { useState } from 'preact/hooks'
import { api, need } from './api.ts'
import { Loading, useLoaded } from './load.tsx'
import { findFlaw } from './proof.ts'

interface Opened {
  items: { id: string; name: string; rarity: string; serialNumber: number }[]
  flaw: string | null
}

/** Buys with points, opens with a seed of this browser, and verifies the draw against what the purchase published. */
async function buyAndOpen(packId: string): Promise<Opened> {
  const purchase = await need(api.packs.purchase.post({ packId }))
  const { userPack } = await need(api.packs.purchase.put({ purchaseId: purchase.id }))
  if (!userPack) throw new Error('The purchase is not completed yet.')
  const clientSeed = crypto.randomUUID()
  const { items, proof } = await need(api.packs.open.post({ userPackId: userPack.id, clientSeed }))
  return { items, flaw: await findFlaw(proof, purchase) }
}

export function Packs() {
  const list = useLoaded(() => need(api.packs.get()))
  const [opened, setOpened] = useState<Opened | null>(null)
  const buy = (packId: string) => list.act(async () => setOpened(await buyAndOpen(packId)))
  return (
    <>
      <h1>Packs</h1>
      {opened && (
        <section aria-live="polite">
          <h2>Your pack</h2>
          <ul>
            {opened.items.map(({ id, name, rarity, serialNumber }) => (
              <li key={`${id} ${serialNumber}`}>
                <span>{name}</span>
                <span class="quiet">
                  {rarity}, no. {serialNumber}
                </span>
              </li>
            ))}
          </ul>
          <p>
            {opened.flaw ?? 'Draw verified in this browser: it follows from the published seed and odds.'}
          </p>
        </section>
      )}
      <Loading of={list}>
        {({ packs }) => (
          <ul>
            {packs.map(({ id, name, description, price }) => (
              <li key={id}>
                <span>
                  <strong>{name}</strong>
                  <br />
                  {description}
                </span>
                {price.currency === 'POINTS' ? (
                  <button
                    type="button"
                    aria-label={`${price.amount} points: buy and open ${name}`}
                    onClick={() => buy(id)}
                  >
                    {price.amount} points
                  </button>
                ) : (
                  <span class="quiet">
                    {(price.amount / 100).toFixed(2)} {price.currency}
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loading>
    </>
  )
}
