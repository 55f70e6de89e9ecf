import type { ComponentChildren } from 'preact'
import type { Quest } from '../api.ts'
import { formatMoment, text } from '../lang/lang.ts'
import { Icon } from './icon.tsx'
import { Progress } from './layout.tsx'
import { Picture } from './picture.tsx'
import { PresentedBy } from './presented-by.tsx'

/** A quest with its reward, its steps and its streak. */
export function QuestRow({ quest, children }: { quest: Quest; children?: ComponentChildren }) {
  const { title, description, imageUrl, state, progress, reward } = quest
  const given = [
    reward.points > 0 && text.quests.reward(reward.points),
    reward.rewardId && text.quests.extraReward,
    reward.collectibleId && text.quests.extraCard,
  ].filter(Boolean)
  return (
    <li class={`row quest ${state}`}>
      <Picture src={imageUrl} class="thumb" />
      <div class="grow">
        <div class="quest-head">
          <strong class="line">{title}</strong>
          {children ||
            (state !== 'in_progress' && (
              <span class="pill">
                {state === 'locked' && <Icon name="lock" />}
                {text.quests.states[state]}
              </span>
            ))}
        </div>
        <p class="quiet">{description}</p>
        {given.length > 0 && <p class="gives">{given.join(' · ')}</p>}
        <PresentedBy sponsor={quest.sponsor} />
        <Streak quest={quest} />
        {state === 'in_progress' &&
          progress.map(({ stepId, count, target }) => {
            const label = text.quests.progress(stepId.replaceAll('-', ' '), count, target)
            return (
              <div key={stepId} class="step">
                <Progress label={label} value={count} max={target} />
                <small class="quiet" aria-hidden="true">
                  {count} / {target}
                </small>
              </div>
            )
          })}
      </div>
    </li>
  )
}

/** A run is at risk until its current period is completed. */
function Streak({ quest: { streak, completedAt } }: { quest: Quest }) {
  if (!streak || streak.current === 0) return null
  const until = !completedAt && streak.atRiskUntil ? formatMoment(streak.atRiskUntil) : null
  return (
    <p class="streak">
      <Icon name="flame" />
      <span>
        {text.quests.streak(streak.current)}
        {until && <strong>, {text.quests.atRisk(until)}</strong>}
      </span>
    </p>
  )
}
