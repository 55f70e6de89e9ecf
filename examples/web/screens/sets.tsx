/** Sets of cards: the progress of the fan, missing cards, and rewards. */
import { useEffect } from 'preact/hooks'
import { type CardSet, followEvents, readSets } from '../api.ts'
import { formatDay, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { CardsNav } from '../parts/cards-nav.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Progress, Screen } from '../parts/layout.tsx'
import { Picture } from '../parts/picture.tsx'

export function Sets() {
  const loaded = useLoaded('sets', readSets)
  useEffect(() => followEvents(() => void loaded.reload()), [loaded.reload])
  return (
    <Screen title={text.nav.sets} lead={text.sets.lead}>
      <CardsNav current="sets" />
      <Loading of={loaded} skeleton={<Bones kind="tile" count={3} />}>
        {({ sets }) =>
          sets.length === 0 ? (
            <Empty>{text.sets.empty}</Empty>
          ) : (
            <ul class="sets">
              {sets.map(set => (
                <li key={set.id}>
                  <SetPanel set={set} />
                </li>
              ))}
            </ul>
          )
        }
      </Loading>
    </Screen>
  )
}

export function SetPanel({
  set: { name, reward, collectibles, owned, total, completedAt },
}: {
  set: CardSet
}) {
  const gives = [
    reward.points > 0 && text.quests.reward(reward.points),
    reward.rewardId && text.quests.extraReward,
  ].filter(Boolean)
  return (
    <article class="panel set">
      <div class="section-head">
        <h2>{name}</h2>
        {completedAt !== null && (
          <span class="ready">
            <Icon name="check" />
            {text.sets.completed(formatDay(completedAt))}
          </span>
        )}
      </div>
      <div class="step">
        <Progress label={text.sets.progressOf(name)} value={owned} max={total} />
        <strong>{text.sets.progress(owned, total)}</strong>
      </div>
      {gives.length > 0 && <p class="gives">{gives.join(' · ')}</p>}
      <ul class="set-cards">
        {collectibles.map(({ id, name, imageUrl, rarity, count }) => (
          <li key={id} class={`rarity-${rarity} ${count === 0 ? 'missing' : ''}`}>
            <Picture src={imageUrl} class="set-picture" />
            <small>
              <strong class="line">{name}</strong>
              {count === 0 ? text.sets.missing : text.collection.copies(count)}
            </small>
          </li>
        ))}
      </ul>
    </article>
  )
}
