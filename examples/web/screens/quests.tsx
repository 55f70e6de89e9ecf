/** Quests, begun ones first: the progress of each step, streaks that end soon, and rewards to claim. */
import { useEffect } from 'preact/hooks'
import { claimQuest, followEvents, type Quest, readQuests } from '../api.ts'
import { text } from '../lang/lang.ts'
import { Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Empty, Screen, Section } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { QuestRow } from '../parts/quest-row.tsx'

const idOf = ({ id, period }: Quest) => `${id} ${period?.key ?? ''}`

const isBegun = ({ state, progress, streak }: Quest) =>
  state === 'completed' ||
  (state === 'in_progress' && ((streak?.current ?? 0) > 0 || progress.some(({ count }) => count > 0)))

export function Quests() {
  const list = useLoaded('quests', readQuests)
  useEffect(() => followEvents(() => void list.reload()), [list.reload])
  const claim = useWrite(async ({ questId, periodKey }: { questId: string; periodKey?: string }, key) => {
    await claimQuest({ questId, ...(periodKey === undefined ? {} : { periodKey }) }, key)
    await list.reload()
  })
  const draw = (quests: Quest[]) => (
    <ul class="list two">
      {quests.map(quest => (
        <QuestRow key={idOf(quest)} quest={quest}>
          {quest.state === 'completed' && (
            <Button
              kind="small"
              busy={claim.busy?.questId === quest.id && claim.busy.periodKey === quest.period?.key}
              label={text.quests.claimOf(quest.title)}
              onClick={() =>
                claim.run({ questId: quest.id, ...(quest.period ? { periodKey: quest.period.key } : {}) })
              }
            >
              {text.quests.claim}
            </Button>
          )}
        </QuestRow>
      ))}
    </ul>
  )
  return (
    <Screen title={text.quests.title}>
      {claim.error !== null && <Notice error={claim.error} />}
      <Loading of={list}>
        {({ quests }) => {
          if (quests.length === 0) return <Empty>{text.quests.empty}</Empty>
          const begun = quests.filter(isBegun)
          const done = quests.filter(({ state }) => state === 'claimed')
          const others = quests.filter(quest => !begun.includes(quest) && !done.includes(quest))
          return (
            <>
              <Section title={text.quests.yours}>
                {begun.length === 0 ? <p class="panel quiet">{text.quests.noneBegun}</p> : draw(begun)}
              </Section>
              {others.length > 0 && <Section title={text.quests.more}>{draw(others)}</Section>}
              {done.length > 0 && <Section title={text.quests.done}>{draw(done)}</Section>}
            </>
          )
        }}
      </Loading>
    </Screen>
  )
}
