/**
 * How the app shows an entry of each kind, as for a fan who can have it now. Each view calls the component of the screen that
 * shows the entry; what follows from the fan is made up here.
 */
import type { ComponentChild } from 'preact'
import type * as api from './api.ts'
import {
  after,
  DAY_MS,
  divisionOf,
  type Entry,
  listOf,
  matchOf,
  type Named,
  NOBODY,
  pictureOf,
  priceOf,
  questionOf,
  sponsorOf,
  textOf,
} from './drafts.tsx'
import { text } from './lang/lang.ts'
import { ConsentChoices, type Document } from './parts/consents.tsx'
import { Gift } from './parts/enter-code.tsx'
import { Card as MemberCard } from './parts/member-cards.tsx'
import { MessageRow } from './parts/message-row.tsx'
import { Crest, Picture } from './parts/picture.tsx'
import { PresentedBy } from './parts/presented-by.tsx'
import { QuestRow } from './parts/quest-row.tsx'
import { Round, RoundSheet } from './parts/round.tsx'
import type { MemberCard as KeptCard } from './passes.ts'
import { Entry as AccountRow } from './screens/account.tsx'
import { DivisionTable } from './screens/division.tsx'
import { Status } from './screens/membership.tsx'
import { PackTile } from './screens/packs.tsx'
import { RewardTile } from './screens/rewards.tsx'
import { SetPanel } from './screens/sets.tsx'
import { ProductTile } from './screens/shop.tsx'

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
    const now = { state: 'unclaimed', claimable: true, missingPoints: 0, stockRemaining: entry.stock ?? null }
    const pointsRequired = Number(entry.pointsRequired) || 0
    const draft = { ...entry, ...now, pointsRequired, sponsor: sponsorOf(entry, named) }
    const reward = draft as unknown as api.Reward
    return <RewardTile reward={reward} points={reward.pointsRequired} />
  },
  pack: (entry, named) => {
    const supply = typeof entry.supply === 'number' ? { total: entry.supply, remaining: entry.supply } : null
    const itemsPerPack = Number(entry.itemsPerPack) || 0
    const pack = { ...entry, supply, itemsPerPack, price: priceOf(entry), sponsor: sponsorOf(entry, named) }
    return <PackTile pack={pack as unknown as api.Pack} />
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
  division: entry => <DivisionTable division={divisionOf(entry)} />,
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
    const product = {
      ...entry,
      variants,
      price: priceOf(entry),
      active: true,
      sponsor: sponsorOf(entry, named),
    }
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
