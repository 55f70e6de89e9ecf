/**
 * An entry of the catalogue as this app shows it. The form of the console embeds the page, and sends it the entry by messages. The
 * language is that of the address, `?lang=pt`.
 */
import { render } from 'preact'
import type { Pack, Product, Quest, Reward, Team } from './api.ts'
import { applyLanguage } from './lang/lang.ts'
import { Crest } from './parts/picture.tsx'
import { QuestRow } from './parts/quest-row.tsx'
import { PackTile } from './screens/packs.tsx'
import { RewardTile } from './screens/rewards.tsx'
import { ProductTile } from './screens/shop.tsx'

/** What the console sends: an entry with its texts in one language, and addresses that the page can read. */
interface Shown {
  kind: string
  entry: Record<string, unknown>
  scheme: 'light' | 'dark'
}

/** As for a fan who can have it now. Guarantee of the casts: the tiles read what an entry has, and these members. */
const views: Record<string, (entry: Record<string, unknown>) => preact.ComponentChild> = {
  reward: entry => {
    const now = { state: 'unclaimed', claimable: true, missingPoints: 0, stockRemaining: entry.stock }
    const reward = { ...entry, ...now } as unknown as Reward
    return <RewardTile reward={reward} points={reward.pointsRequired} />
  },
  pack: entry => {
    const supply = typeof entry.supply === 'number' ? { total: entry.supply, remaining: entry.supply } : null
    return <PackTile pack={{ ...entry, supply } as unknown as Pack} />
  },
  product: entry => {
    const variants = [{ stockRemaining: null }]
    return <ProductTile product={{ ...entry, variants, active: true } as unknown as Product} />
  },
  quest: entry => {
    const reward = { points: 0, rewardId: null, collectibleId: null, ...Object(entry.reward) }
    const progress = stepsOf(entry).map(({ id, target }) => ({ stepId: id, count: 0, target }))
    const now = { state: 'in_progress', progress, reward, streak: null, completedAt: null }
    return (
      <ul class="list">
        <QuestRow quest={{ ...entry, ...now } as unknown as Quest} />
      </ul>
    )
  },
  team: entry => {
    const team = { shortName: '', ...entry } as unknown as Team
    return (
      <p class="row">
        <Crest team={team} size="l" />
        <strong class="line">{team.name}</strong>
      </p>
    )
  },
}

const stepsOf = ({ steps }: Record<string, unknown>): { id: string; target: number }[] =>
  Array.isArray(steps) ? steps.map(step => ({ id: '', target: 1, ...Object(step) })) : []

function show({ kind, entry, scheme }: Shown): void {
  document.documentElement.style.colorScheme = scheme
  const root = document.getElementById('app')
  const content = views[kind]?.(entry)
  if (root) render(<main class="page preview">{content}</main>, root)
}

applyLanguage()
addEventListener('message', event => {
  if (event.origin === location.origin && event.source === parent) show(event.data)
})
parent.postMessage('preview ready', location.origin)
