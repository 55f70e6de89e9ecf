/**
 * How the app shows an entry of each kind, as for a fan who can have it now. Each view calls the component of the screen that
 * shows the entry; what follows from the fan is made up here.
 */
import type { ComponentChild } from 'preact'
import type * as api from './api.ts'
import { text } from './lang/lang.ts'
import { ConsentChoices, type Document } from './parts/consents.tsx'
import { Gift } from './parts/enter-code.tsx'
import { MatchCard } from './parts/match-card.tsx'
import { Card as MemberCard } from './parts/member-cards.tsx'
import { MessageRow } from './parts/message-row.tsx'
import { Crest, Picture } from './parts/picture.tsx'
import { PresentedBy } from './parts/presented-by.tsx'
import { QuestRow } from './parts/quest-row.tsx'
import { Round, RoundSheet } from './parts/round.tsx'
import type { MemberCard as KeptCard } from './passes.ts'
import { Entry as AccountRow } from './screens/account.tsx'
import { Prediction } from './screens/matches.tsx'
import { Status } from './screens/membership.tsx'
import { PackTile } from './screens/packs.tsx'
import { RewardTile } from './screens/rewards.tsx'
import { SetPanel } from './screens/sets.tsx'
import { ProductTile } from './screens/shop.tsx'

/** A draft may lack any member, and have any value in it. */
export type Entry = Record<string, unknown>

/** The entries that the draft names, in the language of the page. */
export interface Named {
  teams: Pick<api.Team, 'id' | 'name' | 'shortName' | 'primaryColor' | 'secondaryColor' | 'crestUrl'>[]
  competitions: { id: string; name: string }[]
  sponsors: api.Sponsor[]
  players: { id: string; name: string; imageUrl: string | null }[]
  collectibles: { id: string; name: string; imageUrl: string | null; rarity: string }[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const after = (ms: number) => new Date(Date.now() + ms).toISOString()
const listOf = (value: unknown): Entry[] => (Array.isArray(value) ? value.map(Object) : [])
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
const pictureOf = (value: unknown) => (typeof value === 'string' ? value : null)
const nothing = () => {}

/** Guarantee of the casts: the components read what an entry has, and the members that are added. */
export const views: Record<string, (entry: Entry, named: Named) => ComponentChild> = {
  team: entry => {
    const team = { shortName: '', ...entry } as unknown as api.Team
    return (
      <p class="row">
        <Crest team={team} size="l" />
        <strong class="line">{team.name}</strong>
      </p>
    )
  },
  player: ({ id, name, imageUrl }) => {
    const options = [{ id: textOf(id), text: textOf(name), imageUrl: pictureOf(imageUrl) }]
    return <Round question={questionOf({ kind: 'player' }, options, null)} onVoted={nothing} />
  },
  season: ({ name }) => (
    <ul class="list">
      <AccountRow
        entry={{
          delta: 50,
          reason: 'rule',
          season: textOf(name),
          countedAt: after(0),
          explanation: { kind: 'rule', id: null, name: null, takesBack: false },
        }}
      />
    </ul>
  ),
  sponsor: ({ id, name, imageUrl, url }) => (
    <p class="panel">
      <PresentedBy
        sponsor={{ id: textOf(id), name: textOf(name), imageUrl: pictureOf(imageUrl), url: pictureOf(url) }}
      />
    </p>
  ),
  document: entry => (
    <div class="panel">
      <ConsentChoices documents={[entry as unknown as Document]} granted={() => false} onChange={nothing} />
    </div>
  ),
  account: entry => {
    const tiers = listOf(entry.tiers).map(tier => ({
      id: textOf(tier.id),
      name: textOf(tier.name),
      from: Number(tier.from) || 1,
      benefits: (Array.isArray(tier.benefits) ? tier.benefits : []).map(String),
    }))
    const [first, second] = tiers
    const total = first?.from ?? 0
    const account = {
      ...entry,
      total,
      seasons: [],
      tier: first ? { ...first, since: after(0), until: null } : null,
      next: second ? { tier: second, missing: Math.max(0, second.from - total) } : null,
    } as unknown as api.Account
    return <Status account={account} bands={null} />
  },
  membership: ({ name }) => (
    <MemberCard
      card={
        {
          ref: '',
          name: textOf(name),
          benefits: [],
          number: '100 4182',
          holder: null,
          tiers: [],
          startsAt: after(-30 * DAY_MS),
          endsAt: after(335 * DAY_MS),
          since: after(-30 * DAY_MS),
        } satisfies KeptCard
      }
    />
  ),
  reward: (entry, named) => {
    const now = { state: 'unclaimed', claimable: true, missingPoints: 0, stockRemaining: entry.stock }
    const reward = { ...entry, ...now, sponsor: sponsorOf(entry, named) } as unknown as api.Reward
    return <RewardTile reward={reward} points={reward.pointsRequired} />
  },
  pack: (entry, named) => {
    const supply = typeof entry.supply === 'number' ? { total: entry.supply, remaining: entry.supply } : null
    return <PackTile pack={{ ...entry, supply, sponsor: sponsorOf(entry, named) } as unknown as api.Pack} />
  },
  competition: entry => matchOf({ competition: entry.id }, NOBODY, entry),
  match: (entry, named) => matchOf(entry, named, null),
  quest: (entry, named) => {
    const reward = { points: 0, rewardId: null, collectibleId: null, ...Object(entry.reward) }
    const steps = listOf(entry.steps).map(step => ({ id: '', target: 1, ...step }))
    const progress = steps.map(({ id, target }) => ({ stepId: id, count: 0, target }))
    const now = { state: 'in_progress', progress, reward, streak: null, completedAt: null }
    return (
      <ul class="list">
        <QuestRow quest={{ ...entry, ...now, sponsor: sponsorOf(entry, named) } as unknown as api.Quest} />
      </ul>
    )
  },
  set: ({ id, name, collectibleIds, reward }, { collectibles }) => {
    const ids = Array.isArray(collectibleIds) ? collectibleIds.map(String) : []
    const cards = ids.map(id => collectibles.find(card => card.id === id) ?? unknownCard(id))
    const set: api.CardSet = {
      id: textOf(id),
      name: textOf(name),
      active: true,
      owned: Math.min(1, ids.length),
      reward: { points: 0, rewardId: null, ...Object(reward) },
      collectibles: cards.map((card, nth) => ({ ...card, count: nth === 0 ? 1 : 0 })),
      total: ids.length,
      completedAt: null,
    }
    return <SetPanel set={set} />
  },
  question: (entry, named) => {
    const { options } = entry
    const choices = Array.isArray(options)
      ? listOf(options).map(one => ({
          id: textOf(one.id),
          text: textOf(one.text),
          imageUrl: pictureOf(one.imageUrl),
        }))
      : 'team' in Object(options)
        ? named.players.map(({ id, name, imageUrl }) => ({ id, text: name, imageUrl }))
        : []
    const question = questionOf(entry, choices, sponsorOf(entry, named))
    return (
      <RoundSheet
        question={question}
        isChosen={false}
        onVoted={nothing}
        onNext={undefined}
        onClose={nothing}
      />
    )
  },
  campaign: ({ gives }) => {
    const none = { points: null, account: null, rewardId: null, packId: null, collectibleId: null }
    return (
      <p class="panel">
        <Gift gave={{ ...none, ...Object(gives) }} />
      </p>
    )
  },
  product: (entry, named) => {
    const variants = [{ stockRemaining: null }]
    const product = { ...entry, variants, active: true, sponsor: sponsorOf(entry, named) }
    return <ProductTile product={product as unknown as api.Product} />
  },
  notification: ({ title, body, imageUrl, push }) => {
    const message = {
      id: '',
      category: 'rewards' as const,
      url: null,
      createdAt: after(0),
      readAt: null,
      title: filled(title),
      body: filled(body),
      imageUrl: pictureOf(imageUrl),
    }
    return (
      <>
        <ul class="list">
          <MessageRow message={message} />
        </ul>
        {push === true && <Push message={message} />}
      </>
    )
  },
}

const sponsorOf = ({ sponsorId }: Entry, { sponsors }: Named) =>
  sponsors.find(({ id }) => id === sponsorId) ?? null

const unknownCard = (id: string) => ({ id, name: id, imageUrl: null, rarity: 'common' })

/** What an event puts in the place of a pointer, by the name of its member. */
const filled = (template: unknown) =>
  textOf(template).replaceAll(/\{\{[^{}]{0,100}\/([^{}/]{1,100})\}\}/g, (_, name: string) => `[${name}]`)

/** Drawn by the device, and here as most of them do. */
const Push = ({ message: { title, body, imageUrl } }: { message: api.Message }) => (
  <aside class="push">
    {imageUrl && <Picture src={imageUrl} class="thumb" />}
    <span class="grow">
      <small class="quiet">{text.appName}</small>
      <strong class="line" dir="auto">
        {title}
      </strong>
      <span class="clamp" dir="auto">
        {body}
      </span>
    </span>
  </aside>
)

type Choices = api.Question['options']

/** Open, before the fan has voted. */
function questionOf(entry: Entry, options: Choices, sponsor: api.Question['sponsor']): api.Question {
  const scale = Number(Object(entry.options).scale) || null
  return {
    id: textOf(entry.id),
    matchId: null,
    title: textOf(entry.title),
    imageUrl: pictureOf(entry.imageUrl),
    // Guarantee of the cast: the form offers the kinds of questions.
    kind: (entry.kind ?? 'poll') as api.Question['kind'],
    options,
    scale: Array.isArray(entry.options) ? null : scale,
    state: 'open',
    opensAt: after(-HOUR_MS),
    closesAt: after(HOUR_MS),
    changeable: entry.changeable === true,
    sponsor,
    points: typeof entry.points === 'number' ? entry.points : null,
    requires: {},
    myVote: null,
    results: null,
    correct: null,
  }
}

const side = (id: string, shortName: string, primaryColor: string) => ({
  id,
  name: shortName,
  shortName,
  primaryColor,
  secondaryColor: '#ffffff',
  crestUrl: null,
})
/** Two teams for a competition, which has none of its own. */
const NOBODY: Named = {
  teams: [side('home', 'AAA', '#1d5fa8'), side('away', 'BBB', '#a8321d')],
  competitions: [],
  sponsors: [],
  players: [],
  collectibles: [],
}

/** A match with the form to predict it, by the rules of the competition, if it has any. */
function matchOf(entry: Entry, named: Named, competition: Entry | null): ComponentChild {
  const { id, venue, round, status = 'scheduled', homeScore, awayScore } = entry
  const kickoffAt = Number.isNaN(Date.parse(textOf(entry.kickoffAt)))
    ? after(DAY_MS)
    : textOf(entry.kickoffAt)
  const name = competition
    ? textOf(competition.name)
    : (named.competitions.find(one => one.id === entry.competition)?.name ?? textOf(entry.competition))
  const match = {
    id: textOf(id),
    competition: name,
    season: '',
    round: pictureOf(round),
    venue: pictureOf(venue),
    homeTeamId: textOf(entry.homeTeamId) || 'home',
    awayTeamId: textOf(entry.awayTeamId) || 'away',
    kickoffAt,
    status,
    homeScore: homeScore ?? null,
    awayScore: awayScore ?? null,
    revision: 1,
    sponsorId: null,
    checkIn: null,
    sponsor: sponsorOf(entry, named),
  } as api.Match
  const rules = {
    matchId: match.id,
    closesAt: kickoffAt,
    joker: competition?.joker ?? null,
    split: null,
    points: competition?.points,
  } as api.PredictionRules
  const teams = named.teams as api.Team[]
  const data = {
    teams,
    predictions: new Map(),
    jokersUsed: new Map(),
    handle: null,
    isPublic: false,
    rules: new Map(competition ? [[match.id, rules]] : []),
  }
  return (
    <MatchCard match={match} teams={teams}>
      <Prediction match={match} data={data} reload={async () => {}} />
    </MatchCard>
  )
}
