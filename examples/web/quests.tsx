/** Quests, first those that the fan has begun: the progress of each step, streaks that end soon, and the rewards to claim. */
import { useEffect } from 'preact/hooks'
import { api, need } from './api.ts'
import { follow } from './live.ts'
import { Loading, useLoaded } from './load.tsx'

const loadQuests = () => need(api.quests.get())
type Quest = Awaited<ReturnType<typeof loadQuests>>['quests'][number]

export function Quests() {
  const list = useLoaded(loadQuests)
  useEffect(() => follow(list.reload), [list.reload])
  const claim = ({ id, period }: Quest) =>
    list.act(() => need(api.quests.claim.post({ questId: id, ...(period ? { periodKey: period.key } : {}) })))
  return (
    <>
      <h1>Quests</h1>
      <Loading of={list}>
        {({ quests }) => {
          const begun = quests.filter(isBegun)
          const others = quests.filter(quest => !isBegun(quest))
          if (quests.length === 0) return <p>No quests at the moment.</p>
          return (
            <>
              <h2>Your quests</h2>
              {begun.length === 0 ? (
                <p>You have not begun a quest. What you do here and at the ground counts.</p>
              ) : (
                <List quests={begun} onClaim={claim} />
              )}
              {others.length > 0 && (
                <>
                  <h2>More quests</h2>
                  <List quests={others} onClaim={claim} />
                </>
              )}
            </>
          )
        }}
      </Loading>
    </>
  )
}

const isBegun = ({ state, progress, streak }: Quest) =>
  state === 'completed' ||
  state === 'claimed' ||
  (streak?.current ?? 0) > 0 ||
  (state === 'in_progress' && progress.some(({ count }) => count > 0))

interface ListProps {
  quests: Quest[]
  onClaim(quest: Quest): void
}

const List = ({ quests, onClaim }: ListProps) => (
  <ul>
    {quests.map(quest => (
      <li key={`${quest.id} ${quest.period?.key}`} class="stacked">
        <div class="row">
          <strong>{quest.title}</strong>
          {quest.state === 'completed' ? (
            <button type="button" aria-label={`Claim ${quest.title}`} onClick={() => onClaim(quest)}>
              Claim
            </button>
          ) : (
            <span class="quiet">{quest.state.replace('_', ' ')}</span>
          )}
        </div>
        <span class="quiet">{quest.description}</span>
        <Streak quest={quest} />
        {quest.state === 'in_progress' && <Steps quest={quest} />}
      </li>
    ))}
  </ul>
)

function Steps({ quest: { progress } }: { quest: Quest }) {
  return (
    <>
      {progress.map(({ stepId, count, target }) => (
        <label key={stepId} class="row">
          {stepId.replaceAll('-', ' ')}: {count} of {target}
          <progress value={count} max={target} />
        </label>
      ))}
    </>
  )
}

/** A run is at risk until its current period is completed. */
function Streak({ quest: { streak, completedAt } }: { quest: Quest }) {
  if (!streak || streak.current === 0) return null
  const until =
    !completedAt && streak.atRiskUntil
      ? new Date(streak.atRiskUntil).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
      : null
  return (
    <span>
      {streak.current} in a row{until && <strong>, at risk: ends {until}</strong>}
    </span>
  )
}
