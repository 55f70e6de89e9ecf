/** All rewards, with their missing requirements. */
import { type Reward, readRewards } from '../api.ts'
import { formatMoment, text } from '../lang/lang.ts'
import { Bones, isAhead, Loading, useLoaded, useReloadAt } from '../load.tsx'
import { Icon } from '../parts/icon.tsx'
import { Choice, Empty, Progress, Screen } from '../parts/layout.tsx'
import { Picture } from '../parts/picture.tsx'
import { PresentedBy } from '../parts/presented-by.tsx'
import { addressOf, Link, useView } from '../router.tsx'

const FILTERS = ['all', 'ready', 'mine'] as const
type Filter = (typeof FILTERS)[number]

const isShown = ({ state, claimable }: Reward, filter: Filter) =>
  filter === 'all' || (filter === 'mine' ? state !== 'unclaimed' : claimable || state === 'claimed')

export function Rewards() {
  const list = useLoaded('rewards', readRewards)
  useReloadAt(list.data?.rewards.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]) ?? [], list.reload)
  const [filter, setFilter] = useView('show', FILTERS)
  return (
    <Screen title={text.rewards.title} lead={list.data && text.rewards.lead(list.data.points)}>
      <Choice
        label={text.rewards.filterLabel}
        names={text.rewards.filters}
        value={filter}
        onChange={setFilter}
      />
      <Loading of={list} skeleton={<Bones kind="tile" count={6} />}>
        {({ points, rewards }) => {
          const visible = rewards.filter(reward => isShown(reward, filter))
          if (visible.length === 0)
            return <Empty>{rewards.length === 0 ? text.rewards.empty : text.rewards.noneOf}</Empty>
          return (
            <ul class="tiles">
              {visible.map(reward => (
                <li key={reward.id}>
                  <RewardTile reward={reward} points={points} />
                </li>
              ))}
            </ul>
          )
        }}
      </Loading>
    </Screen>
  )
}

export function RewardTile({ reward, points }: { reward: Reward; points: number }) {
  const { id, title, description, imageUrl, itemType, pointsRequired, stockRemaining } = reward
  return (
    <Link to={addressOf('rewards', id)} class="tile">
      <Picture src={imageUrl} class="tile-picture" />
      <span class="tile-badge">{text.rewards.kinds[itemType] ?? itemType}</span>
      <span class="tile-text">
        <strong>{title}</strong>
        <span class="quiet clamp">{description}</span>
        <span class="tile-foot">
          <Status reward={reward} />
          {stockRemaining !== null && reward.state === 'unclaimed' && (
            <small class="quiet">{text.rewards.stock(stockRemaining)}</small>
          )}
        </span>
        <PresentedBy sponsor={reward.sponsor} plain />
        {reward.state === 'unclaimed' && reward.missingPoints > 0 && (
          <Progress label={text.rewards.progressOf(title)} value={points} max={pointsRequired} />
        )}
      </span>
    </Link>
  )
}

/** The fan's state of a reward, or its missing requirements. */
export function Status({ reward }: { reward: Reward }) {
  const { state, claimable, missingPoints, stockRemaining, startsAt } = reward
  if (state !== 'unclaimed')
    return (
      <span class="ready">
        <Icon name="check" />
        {text.rewards[state]}
      </span>
    )
  if (claimable) return <span class="ready">{text.rewards.filters.ready}</span>
  if (isAhead(startsAt)) return <span class="quiet">{text.rewards.from(formatMoment(startsAt))}</span>
  if (missingPoints > 0) return <span class="quiet">{text.rewards.missing(missingPoints)}</span>
  return (
    <span class="quiet">{stockRemaining === 0 ? text.problems.out_of_stock : text.rewards.unavailable}</span>
  )
}
