/** The fan's cash with the club: balances, top-ups and entries; and the linked wallets. */

import { useEffect, useState } from 'preact/hooks'
import {
  completeTopUp,
  followEvents,
  payInSandbox,
  prepareTopUp,
  readCashEntries,
  readWallets,
  startTopUp,
} from '../api.ts'
import { formatDay, formatMoment, formatMoney, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Empty, Screen, Section } from '../parts/layout.tsx'
import { MoreButton, useMore } from '../parts/more.tsx'
import { Notice } from '../parts/notice.tsx'

type Balance = Awaited<ReturnType<typeof readWallets>>['cash'][number]

type Gateway = Awaited<ReturnType<typeof prepareTopUp>>['gateway']

/** Minor units. */
const AMOUNTS = [1_000, 2_000, 5_000]

export function Wallet() {
  const loaded = useLoaded('wallet', readWallets)
  const { reload } = loaded
  // The gateway can confirm a top-up without this page, and the club can give cash.
  useEffect(() => followEvents(() => void reload()), [reload])
  return (
    <Screen title={text.wallet.title} lead={text.wallet.lead}>
      <Loading of={loaded} skeleton={<Bones kind="card" count={1} />}>
        {({ cash, linked }) => (
          <>
            {cash.length === 0 && <Empty>{text.wallet.none}</Empty>}
            {cash.map(balance => (
              <Cash key={balance.currency} balance={balance} reload={reload} />
            ))}
            {linked.length > 0 && (
              <Section title={text.wallet.linked}>
                <ul class="list">
                  {linked.map(({ address, linkedAt }) => (
                    <li key={address} class="row">
                      <span class="grow">
                        <code class="line" dir="ltr">
                          {address.slice(0, 8)}…{address.slice(-6)}
                        </code>
                        <small class="quiet">{formatDay(linkedAt)}</small>
                      </span>
                    </li>
                  ))}
                </ul>
              </Section>
            )}
          </>
        )}
      </Loading>
    </Screen>
  )
}

function Cash({ balance, reload }: { balance: Balance; reload: () => Promise<void> }) {
  const { currency, available, held } = balance
  return (
    <>
      <dl class="figures on-page">
        <div class="figure">
          <dt>{text.wallet.available}</dt>
          <dd>{formatMoney(available, currency)}</dd>
        </div>
        {held > 0 && (
          <div class="figure">
            <dt>{text.wallet.held}</dt>
            <dd>{formatMoney(held, currency)}</dd>
          </div>
        )}
      </dl>
      <TopUp currency={currency} reload={reload} />
      {/* A change of the balance is one of the entries. */}
      <Entries key={`${available} ${held}`} currency={currency} />
    </>
  )
}

function TopUp({ currency, reload }: { currency: string; reload: () => Promise<void> }) {
  const [elsewhere, setElsewhere] = useState<Gateway | null>(null)
  const write = useWrite(async (amount: number, key) => {
    const { id: topUpId } = await startTopUp({ amount, currency }, `${key}:start`)
    const { gateway } = await prepareTopUp(topUpId)
    // Its form belongs here.
    if (gateway !== 'sandbox') return setElsewhere(gateway)
    const { paymentReference } = await payInSandbox(topUpId, 'paid', `${key}:payment`)
    await completeTopUp({ topUpId, paymentReference }, `${key}:complete`)
    await reload()
  })
  return (
    <Section title={text.wallet.topUp}>
      <p class="actions">
        {AMOUNTS.map(amount => (
          <Button
            key={amount}
            kind="plain"
            busy={write.busy === amount}
            onClick={() => write.isBusy || write.run(amount)}
          >
            {formatMoney(amount, currency)}
          </Button>
        ))}
      </p>
      {elsewhere && <p class="quiet">{text.checkout.gateways[elsewhere]}</p>}
      {write.error !== null && <Notice error={write.error} />}
    </Section>
  )
}

function Entries({ currency }: { currency: string }) {
  const loaded = useLoaded(`cash ${currency}`, () => readCashEntries(currency))
  const more = useMore(
    loaded,
    cursor => readCashEntries(currency, cursor),
    (page, next) => ({ ...next, entries: [...page.entries, ...next.entries] }),
  )
  return (
    <Section title={text.wallet.entries}>
      <Loading of={loaded} skeleton={<Bones />}>
        {({ entries, nextCursor }) =>
          entries.length === 0 ? (
            <p class="quiet">{text.wallet.noEntries}</p>
          ) : (
            <>
              <ul class="list">
                {entries.map(({ id, delta, reason, balanceAfter, createdAt }) => (
                  <li key={id} class="row">
                    <span class={delta < 0 ? 'sign minus' : 'sign plus'} aria-hidden="true">
                      {delta < 0 ? '−' : '+'}
                    </span>
                    <span class="grow">
                      <span class="line">{text.wallet.reasons[reason]}</span>
                      <small class="quiet">
                        {formatMoment(createdAt)} · {text.wallet.after(formatMoney(balanceAfter, currency))}
                      </small>
                    </span>
                    <strong class={delta < 0 ? 'amount' : 'amount gain'}>
                      {formatMoney(delta, currency)}
                    </strong>
                  </li>
                ))}
              </ul>
              <MoreButton more={more} cursor={nextCursor} />
            </>
          )
        }
      </Loading>
    </Section>
  )
}
