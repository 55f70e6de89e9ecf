/** One reward: its picture and description, missing requirements, claim, redeem, and the code to show. */
import { useState } from 'preact/hooks'
import { claimReward, type Reward as RewardData, readRewards, redeemReward } from '../api.ts'
import { formatDay, formatMoment, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useReloadAt, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { NotFound, Progress, Screen } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { Picture } from '../parts/picture.tsx'
import { PresentedBy } from '../parts/presented-by.tsx'
import { findKept, REWARDS } from '../passes.ts'
import { addressOf } from '../router.tsx'
import { Status } from './rewards.tsx'

export function Reward({ id }: { id: string }) {
  const list = useLoaded('rewards', readRewards)
  const found = list.data?.rewards.find(reward => reward.id === id)
  const kept = findKept(REWARDS)
  const pass = kept?.passes.find(pass => pass.id === id)
  if (list.data && !found) return <NotFound />
  return (
    <Screen title={found?.title ?? pass?.title ?? text.rewards.title} up={addressOf('rewards')} bare>
      {list.data === null && kept && pass && (
        <>
          <h1>{pass.title}</h1>
          <Code code={pass.code} title={pass.title} asOf={kept.asOf} />
        </>
      )}
      <Loading of={list} skeleton={!pass && <Bones kind="card" count={1} />}>
        {({ points }) =>
          found && <Detail reward={found} points={points} asOf={list.asOf} reload={list.reload} />
        }
      </Loading>
    </Screen>
  )
}

interface DetailProps {
  reward: RewardData
  points: number
  asOf: number | null
  reload: () => Promise<void>
}

function Detail({ reward, points, asOf, reload }: DetailProps) {
  const { id, title, description, imageUrl, itemType, pointsRequired, state, redemptionCode } = reward
  const { startsAt, endsAt } = reward
  const [asking, setAsking] = useState(false)
  useReloadAt([startsAt, endsAt], reload)
  const claim = useWrite(async (rewardId: string, key) => {
    await claimReward(rewardId, key)
    await reload()
  })
  const redeem = useWrite(async (rewardId: string, key) => {
    try {
      await redeemReward(rewardId, key)
      await reload()
      // The code is at the top.
      scrollTo(0, 0)
    } finally {
      setAsking(false)
    }
  })
  const error = claim.error ?? redeem.error
  return (
    <article class="detail">
      {redemptionCode ? (
        <Code code={redemptionCode} title={title} asOf={asOf} />
      ) : (
        <Picture src={imageUrl} class="detail-picture" />
      )}
      <div class="detail-text">
        <p class="kicker">{text.rewards.kinds[itemType] ?? itemType}</p>
        <h1>{title}</h1>
        <p>{description}</p>
        <p class="tile-foot">
          <span class="pill">{text.rewards.required(pointsRequired)}</span>
          <Status reward={reward} />
        </p>
        <PresentedBy sponsor={reward.sponsor} />
        {endsAt && <p class="quiet">{text.rewards.until(formatDay(endsAt))}</p>}
        {state === 'unclaimed' && reward.missingPoints > 0 && (
          <Progress label={text.rewards.progressOf(title)} value={points} max={pointsRequired} />
        )}
        {error !== null && <Notice error={error} />}
        {reward.claimable && (
          <Button busy={claim.isBusy} label={text.rewards.claimOf(title)} onClick={() => claim.run(id)}>
            {text.rewards.claim}
          </Button>
        )}
        {state === 'claimed' && (
          <>
            <Button label={text.rewards.redeemOf(title)} onClick={() => setAsking(true)}>
              {text.rewards.redeem}
            </Button>
            <p class="quiet">{text.rewards.redeemHint}</p>
          </>
        )}
        {asking && (
          <Confirm
            title={text.confirm.redeem(title)}
            action={text.confirm.redeemAction}
            busy={redeem.isBusy}
            onConfirm={() => redeem.run(id)}
            onCancel={() => setAsking(false)}
          >
            <p>{text.confirm.redeemLead}</p>
          </Confirm>
        )}
        {reward.redeemedAt && <p class="quiet">{text.rewards.redeemedOn(formatMoment(reward.redeemedAt))}</p>}
      </div>
    </article>
  )
}
