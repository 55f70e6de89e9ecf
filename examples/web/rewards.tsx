/** Rewards: what is missing, claim, redeem, and the code to show. */
import { api, need } from './api.ts'
import { Loading, useLoaded } from './load.tsx'

export function Rewards() {
  const list = useLoaded(() => need(api.rewards.get()))
  const claim = (rewardId: string) => list.act(() => need(api.rewards.claim.post({ rewardId })))
  const redeem = (rewardId: string) => list.act(() => need(api.rewards.redeem.post({ rewardId })))
  return (
    <>
      <h1>Rewards</h1>
      <Loading of={list}>
        {({ rewards }) => (
          <ul>
            {rewards.map(({ id, title, state, claimable, missingPoints, redemptionCode }) => (
              <li key={id}>
                <span>{title}</span>
                {state === 'redeemed' ? (
                  <code>{redemptionCode}</code>
                ) : state === 'claimed' ? (
                  <button type="button" aria-label={`Redeem ${title}`} onClick={() => redeem(id)}>
                    Redeem
                  </button>
                ) : claimable ? (
                  <button type="button" aria-label={`Claim ${title}`} onClick={() => claim(id)}>
                    Claim
                  </button>
                ) : (
                  <span class="quiet">
                    {missingPoints > 0 ? `${missingPoints} points missing` : 'Not available'}
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
